package agent_test

// rescueOperations returns operations that end with an active machine. No program sets a password: the agent only
// writes the password's hash to a file, which a service of a real ramdisk would read later. The old Ironic cannot
// rescue with virtual media.
func rescueOperations() []operation {
	return []operation{{
		name: "rescue", newestOnly: true, sets: map[string]any{"rescue_interface": "agent"},
		path: []provisionRequest{
			askManage, askAdopt,
			provisionTo(map[string]any{"target": "rescue", "rescue_password": "correct horse"}, "rescue", "rescue failed"),
			provisionTo(target("unrescue"), "active", "unrescue failed"),
		},
	}}
}
