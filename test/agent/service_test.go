package agent_test

// serviceErrands are service steps: one that works and ways to fail.
func serviceErrands() []errand {
	service := func(name, kind, step, says string) errand {
		steps := []any{map[string]any{"interface": kind, "step": step, "args": map[string]any{}}}
		return errand{
			name: "service-" + name, newest: true, says: says,
			path: []asked{askManage, askAdopt, ask(map[string]any{"target": "service", "service_steps": steps}, "active", "service failed")},
		}
	}
	return []errand{
		service("works", "raid", "delete_configuration", ""),
		service("lacks-argument", "deploy", "write_image", "missing 1 required positional argument: 'image_info'"),
		service("unknown", "deploy", "no_such_step", "no_such_step"),
	}
}
