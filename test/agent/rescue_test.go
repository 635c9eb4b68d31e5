package agent_test

// rescueErrands end with a machine that is in use again. The agent only writes
// the hash into a file, which the ramdisk's own service reads later: no program
// sets a password. The old Ironic cannot rescue from virtual media.
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
