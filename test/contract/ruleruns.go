package contract

// ruleRuns covers rules that run when an inspection ends. Each rule applies only to the node of its behavior.
func ruleRuns() []behavior {
	const (
		inspection = `{"inventory": {"interfaces": [{"name": "eno1", "mac_address": "{mac1}"}], "cpu": {"architecture": "x86_64", "count": 8}, ` +
			`"memory": {"physical_mb": 4096}, "bmc_address": "192.0.2.9", "system_vendor": {"manufacturer": "Dell Inc."}}, "mine": {"list": [1]}, "password": "p"}`
		mine = `{"op": "eq", "args": {"values": ["{node.uuid}", "{node}"]}}`
	)
	run := func(name, conditions, actions string, steps ...step) behavior {
		if conditions != "" {
			conditions = ", " + conditions
		}
		return behavior{name: "rule-run-" + name, since: 96, node: `{"inspect_interface": "agent"}`, steps: append(append([]step{
			{call: "POST /v1/ports", body: `{"node_uuid": "{node}", "address": "{mac1}"}`},
			{call: "POST " + rulesPath, body: `{"uuid": "{uuid1}", "conditions": [` + mine + conditions + `], "actions": [` + actions + `]}`},
			{call: "SET inspect wait > manageable"},
			{call: "POST /v1/continue_inspection", version: "none", body: inspection, want: "202"},
		}, steps...), step{call: "DELETE " + oneRule})}
	}
	node := func(see, want string) step {
		return step{call: "UNTIL /v1/nodes/{node}", see: "provision_state " + see, want: want}
	}
	failed := func(why string) step {
		return node("last_error", `200 provision_state="inspect failed" last_error="Async execution of continue_inspection failed with error: `+why+`"`)
	}
	data := func(see, want string) step {
		return step{call: "GET /v1/nodes/{node}/inventory", see: see, want: want}
	}
	return []behavior{
		run("attributes", "", `{"op": "set-attribute", "args": {"path": "resource_class", "value": "{inventory[cpu][architecture]}-{inventory[cpu][count]}"}},
			{"op": "set-attribute", "args": {"path": "properties/a/b", "value": {"c": "{node.name}", "n": 5}}},
			{"op": "extend-attribute", "args": {"path": "extra/list", "value": 1}}, {"op": "extend-attribute", "args": {"path": "extra.list", "value": 1, "unique": true}},
			{"op": "del-attribute", "args": {"path": "properties/cpu_arch"}}, {"op": "set-attribute", "args": {"path": "made_up", "value": 1}}`,
			node("resource_class properties extra", `200 provision_state="manageable" resource_class="x86_64-8" properties={"a":{"b":{"c":"{name}","n":5}}} extra={"list":[1]}`)),
		run("capabilities", "", `{"op": "set-capability", "args": {"name": "boot_mode", "value": "uefi"}}, {"op": "set-capability", "args": {"name": "boot_mode", "value": "bios"}}`,
			node("properties", `200 provision_state="manageable" properties={"capabilities":"boot_mode:uefi,boot_mode:bios","cpu_arch":"x86_64"}`)),
		run("traits", "", `{"op": "add-trait", "args": {"name": "CUSTOM_A"}}, {"op": "add-trait", "args": {"name": "lower case"}}, {"op": "remove-trait", "args": {"name": "CUSTOM_A"}}, {"op": "remove-trait", "args": {"name": "CUSTOM_B"}}`,
			node("traits", `200 provision_state="manageable" traits=["lower case"]`)),
		run("plugin-data", "", `{"op": "set-plugin-data", "args": {"path": "mine.new", "value": "{inventory[bmc_address]}"}}, {"op": "extend-plugin-data", "args": {"path": "other", "value": 1}},
			{"op": "unset-plugin-data", "args": {"path": "mine"}}`,
			node("", `200 provision_state="manageable"`), data("plugin_data.mine plugin_data.other", `200 plugin_data.mine={"list":[1],"new":"192.0.2.9"} plugin_data.other=[1]`)),
		run("secrets", "", `{"op": "set-attribute", "args": {"path": "extra/p", "value": "{plugin_data[password]}"}}`, node("extra", `200 provision_state="manageable" extra={"p":"***"}`)),
		run("loop", "", `{"op": "set-attribute", "args": {"path": "{item[path]}", "value": "{item[value]}"}, "loop": [{"path": "extra/x", "value": "{inventory[bmc_address]}"}, {"path": "owner", "value": "a"}]}`,
			node("extra owner", `200 provision_state="manageable" extra={"x":"192.0.2.9"} owner="a"`)),
		run("no-match", `{"op": "eq", "args": {"values": ["{inventory[cpu][count]}", 8]}}`, `{"op": "fail", "args": {"msg": "m"}}`, node("", `200 provision_state="manageable"`)),
		run("pattern", `{"op": "matches", "args": {"value": "{inventory[system_vendor][manufacturer]}", "regex": "(?i)DELL.*"}}`, `{"op": "set-attribute", "args": {"path": "owner", "value": "dell"}}`,
			node("owner", `200 provision_state="manageable" owner="dell"`)),
		run("fail", "", `{"op": "set-attribute", "args": {"path": "owner", "value": "kept"}}, {"op": "fail", "args": {"msg": "no {node.name}"}}`,
			failed(`Failed to inspect hardware. Reason: no {node.name}`), node("owner", `200 provision_state="inspect failed" owner="kept"`)),
		run("wrong-types", `{"op": "gt", "args": {"values": ["{inventory[cpu][count]}", 4]}}`, `{"op": "fail", "args": {"msg": "m"}}`,
			failed(`Failed to apply rule {uuid1} to node {node}: '>' not supported between instances of 'str' and 'int'`)),
		run("wrong-path", "", `{"op": "set-attribute", "args": {"path": "name/x", "value": 1}}`,
			failed(`Inspection rule action execution failed. Reason: Failed to set attribute name/x with value 1: 'str' object does not support item assignment`)),
		run("existing-list", "", `{"op": "extend-plugin-data", "args": {"path": "mine.list", "value": 2}}`,
			node("last_error", `~200 provision_state="inspect failed" last_error="Async execution of continue_inspection failed with error: \(builtins\.TypeError\) Object of type ShallowMaskList is not JSON serializable.*"`)),
	}
}
