package agent_test

// rescueErrands end with an active machine. The agent only writes the password's hash to a file, which a service of
// the ramdisk reads later: no program sets a password. The old Ironic cannot rescue with virtual media.
func rescueErrands() []errand {
	return []errand{{
		name: "rescue", newest: true, sets: map[string]any{"rescue_interface": "agent"},
		path: []asked{
			askManage, askAdopt,
			ask(map[string]any{"target": "rescue", "rescue_password": "correct horse"}, "rescue", "rescue failed"),
			ask(target("unrescue"), "active", "unrescue failed"),
		},
	}}
}
