package agent_test

// serviceOperations returns operations with service steps: one step that works, and some that fail in different ways.
func serviceOperations() []operation {
	service := func(name, kind, step, message string) operation {
		steps := []any{map[string]any{"interface": kind, "step": step, "args": map[string]any{}}}
		return operation{
			name: "service-" + name, newestOnly: true, message: message,
			path: []provisionRequest{askManage, askAdopt, provisionTo(map[string]any{"target": "service", "service_steps": steps}, "active", "service failed")},
		}
	}
	return []operation{
		service("works", "raid", "delete_configuration", ""),
		service("lacks-argument", "deploy", "write_image", "missing 1 required positional argument: 'image_info'"),
		service("unknown", "deploy", "no_such_step", "no_such_step"),
	}
}
