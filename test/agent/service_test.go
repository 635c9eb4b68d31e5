package agent_test

// serviceErrands are steps of service: one that works, and the ways in which
// they fail.
func serviceErrands() []errand {
	service := func(name, step, timeout, says string) errand {
		steps := []any{map[string]any{"interface": "deploy", "step": step, "args": map[string]any{}}}
		return errand{
			name: "service-" + name, newest: true, says: says, sets: map[string]any{"driver_info/agent_burnin_cpu_timeout": timeout},
			path: []asked{askManage, askAdopt, ask(map[string]any{"target": "service", "service_steps": steps}, "active", "service failed")},
		}
	}
	return []errand{
		service("works", "burnin_cpu", "10", ""),
		service("fails", "burnin_cpu", "nonsense", "stress-ng (cpu) failed with error"),
		service("lacks-argument", "write_image", "", "missing 1 required positional argument: 'image_info'"),
		service("unknown", "no_such_step", "", "no_such_step"),
	}
}
