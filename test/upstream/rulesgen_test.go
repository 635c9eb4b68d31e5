package upstream_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"ironworks/models/hints"
	"ironworks/rules"
)

// generator makes random rules and nodes.
type generator struct{ *rand.Rand }

func pick[T any](g generator, from ...T) T { return from[g.IntN(len(from))] }

func (g generator) one(in int) bool { return g.IntN(in) == 0 }

// parsed decodes a JSON text, and panics if it is invalid.
func parsed(text string) any {
	v, err := hints.DecodePython([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("%v: %s", err, text))
	}
	return v
}

func (g generator) ruleCase() ruleCase {
	c := ruleCase{
		Node:       json.RawMessage(g.node()),
		Traits:     []string{},
		Ports:      []json.RawMessage{},
		Inventory:  json.RawMessage(g.inventory()),
		PluginData: json.RawMessage(g.pluginData()),
		Masking:    pick(g, rules.MaskAlways, rules.MaskAlways, rules.MaskSensitive, rules.MaskNever),
	}
	if g.one(2) {
		c.Traits = append(c.Traits, "CUSTOM_A", "HW_CPU_X86_VMX")
	}
	for i := range g.IntN(3) {
		c.Ports = append(c.Ports, fmt.Appendf(nil, `{"uuid":"aaaaaaa%d-0000-4000-8000-000000000000","name":null,"extra":{"a":[1]},"pxe_enabled":true,`+
			`"physical_network":"net%d","local_link_connection":{"switch_id":"s"}}`, i, i))
	}
	for i := range 1 + g.IntN(3) {
		c.Rules = append(c.Rules, g.rule(i))
	}
	return c
}

func (g generator) node() string {
	return fmt.Sprintf(`{"uuid":"11111111-2222-4333-8444-555555555555","name":%s,"driver":"redfish","driver_info":{"redfish_address":"https://bmc","password":"secret"},`+
		`"properties":%s,"extra":%s,"resource_class":%s,"maintenance":%s,"instance_info":{},"owner":null,"description":"a {strange} text",`+
		`"conductor_group":"","provision_state":"inspecting","automated_clean":null,"created_at":"2026-11-25T10:00:00+00:00"}`,
		pick(g, `"r7-n01"`, "null", `"ü node"`),
		pick(g, `{}`, `{"cpus":8,"memory_mb":"4096","capabilities":"boot_mode:uefi,a:b"}`, `{"capabilities":"a:1","root_device":{"size":5}}`, `{"capabilities":7}`, `{"capabilities":null}`),
		pick(g, `{}`, `{"list":[1,"x",{"a":null}],"text":"t","deep":{"er":{"still":1.5}}}`, `{"a":{"b":[]}}`),
		pick(g, `null`, `"baremetal"`), pick(g, "true", "false"))
}

func (g generator) inventory() string {
	return fmt.Sprintf(`{"cpu":{"count":%s,"architecture":"x86_64","flags":["vmx","aes"]},"memory":{"physical_mb":%s,"total":17179869184},`+
		`"bmc_address":%s,"system_vendor":{"manufacturer":%s,"product_name":"R640 (SKU=1)","serial_number":""},"interfaces":[{"name":"eno1","mac_address":"52:54:00:00:00:01","has_carrier":true,"ipv4_address":null},{"name":"eno2","mac_address":"52:54:00:00:00:02","has_carrier":false}],`+
		`"disks":[{"name":"/dev/sda","size":%s,"rotational":false}],"boot":{"current_boot_mode":"uefi","pxe_interface":null},"password":"hidden","empty":{},"nothing":[],"ratio":%s,"creds":{"auth_token":"tok","user":"admin"}}`,
		pick(g, "8", "64", "0", `"8"`), pick(g, "4096", "131072", "1e3"),
		pick(g, `"10.0.0.5"`, `"192.168.1.77"`, `"fd00::5"`, `""`, "null", `"bmc.example"`),
		pick(g, `"Dell Inc."`, `"HPE"`, `"it's \"quoted\""`), pick(g, "480103981056", "8000000000000"),
		pick(g, "0.5", "2.0", "1e20"))
}

func (g generator) pluginData() string {
	return pick(g, `{}`, `{"a":{"b":{"c":1}},"list":["x",2],"deep":{"list":[{"password":"p"}]},"auth_token":"t"}`,
		`{"parsed_lldp":{"eno1":{"switch_port_id":"Ethernet1/1"}},"text":"t","number":5,"null":null,"empty":[]}`)
}

// template returns a string that may contain references to values.
func (g generator) template() string {
	name := pick(g,
		"inventory[cpu][count]", "inventory[cpu][architecture]", "inventory[memory][physical_mb]", "inventory[bmc_address]",
		"inventory[system_vendor][manufacturer]", "inventory[system_vendor][product_name]", "inventory[interfaces][0][name]",
		"inventory[interfaces][1]", "inventory[interfaces][7]", "inventory[interfaces][name]", "inventory[missing]", "inventory[cpu][missing]",
		"inventory[cpu]", "inventory[nothing]", "inventory[empty]", "inventory[password]", "inventory[creds]", "inventory[creds][auth_token]",
		"inventory[ratio]", "inventory[memory][total]", "inventory[boot][pxe_interface]", "inventory[boot][pxe_interface][x]",
		"inventory[system_vendor][serial_number]", "inventory[interfaces][0][has_carrier]", "inventory", "inventory[cpu][count][0]",
		"plugin_data[a][b]", "plugin_data[list]", "plugin_data[list][1]", "plugin_data[deep]", "plugin_data[auth_token]", "plugin_data[text]",
		"plugin_data[parsed_lldp][eno1][switch_port_id]", "plugin_data",
		"node.name", "node.uuid", "node[driver]", "node.properties[capabilities]", "node.properties[cpus]", "node.extra[list]", "node.extra[deep][er]",
		"node.maintenance", "node.resource_class", "node.description", "node.nothing", "node.driver_info[password]", "node.owner", "node.created_at",
		"node.extra", "node.made_up", "item", "item[name]", "item[path]", "other", "0", "", "inventory[cpu", "inventory.", "inventory[]", "inventory[cpu]x",
	)
	spec := ""
	if g.one(6) {
		spec = pick(g, "!r", "!s", ":>12", ":<6", ":^9", ":05", ":*>8", ":d", ":s", ":+", ":.3", "!x", "!", ":{node.name}", ":10d", "!r:>30", ":-^7")
	}
	text := "{" + name + spec + "}"
	switch g.IntN(12) {
	case 0:
		return pick(g, "plain", "8", "", "{{x}}", "}", "{", "a}}b", "{a", "x86_64", "true", "Yes", "no", "None", "[]", "10.0.0.0/24", "%s")
	case 1:
		return "a " + text + " b " + pick(g, "{inventory[cpu][count]}", "{node.name}", "}")
	case 2:
		return strings.ToUpper(pick(g, "dell", "hpe")) + text
	}
	return text
}

// value returns a value of any type, often a template.
func (g generator) value() any {
	switch g.IntN(10) {
	case 0:
		return parsed(pick(g, "1", "8", "0", "2.5", "4096", "-3", "1234567890123456789012"))
	case 1:
		return parsed(pick(g, "true", "false", "null"))
	case 2:
		d := &hints.PythonDict{}
		d.Set(pick(g, "k", "{node.name}", "{bad"), g.template())
		d.Set("n", hints.PythonList{g.template(), hints.PythonInt("1")})
		return d
	case 3:
		return hints.PythonList{g.template(), parsed("5")}
	}
	return g.template()
}

func (g generator) text() string {
	return pick(g, "8", "x86_64", "uefi", "r7-n01", "Dell Inc.", "4096", "", "eno1", "True", "64")
}

func dict(pairs ...any) *hints.PythonDict {
	d := &hints.PythonDict{}
	for i := 0; i < len(pairs); i += 2 {
		d.Set(pairs[i].(string), pairs[i+1])
	}
	return d
}

func (g generator) rule(i int) any {
	var conditions, actions hints.PythonList
	for range pick(g, 0, 1, 1, 1, 2) {
		conditions = append(conditions, g.condition())
	}
	for range 1 + g.IntN(3) {
		actions = append(actions, g.action())
	}
	return dict("uuid", fmt.Sprintf("0000000%d-0000-4000-8000-000000000000", i), "priority", hints.PythonInt(pick(g, "0", "10", "10", "99")), "sensitive", g.one(4),
		"phase", "main", "conditions", conditions, "actions", actions)
}

func (g generator) condition() any {
	op := pick(g, "eq", "eq", "lt", "gt", "is-empty", "in-net", "matches", "matches", "contains", "one-of", "is-none", "is-true", "is-false")
	var args *hints.PythonDict
	switch op {
	case "eq", "lt", "gt":
		values := hints.PythonList{g.value(), pick[any](g, g.value(), g.text(), g.text())}
		if g.one(8) {
			values = append(values, g.value())
		}
		args = dict("values", values)
		if g.one(20) {
			args.Set("values", g.value())
		}
		if g.one(6) {
			args.Set("force_strings", g.one(2))
		}
	case "in-net":
		args = dict("address", pick[any](g, "{inventory[bmc_address]}", "10.0.0.7", "10.0.0.07", "::1", "::ffff:10.0.0.1", g.template()),
			"subnet", pick[any](g, "10.0.0.0/24", "10.0.0.9/8", "192.168.0.0/255.255.0.0", "192.168.0.0/0.0.255.255", "fd00::/8", "10.0.0.5", "x", "10.0.0.0/33", "10/8", "::/0", "0.0.0.0/0", "10.0.0.0/", "192.168.1.0/255.0.255.0", g.template()))
	case "matches", "contains":
		args = dict("value", g.value(), "regex", g.regex())
	case "one-of":
		args = dict("value", g.value(), "values", pick(g, parsed(`["8","x86_64","r7-n01",8,null]`), parsed(`{"8":1}`), parsed(`"x86_64 8"`), parsed(`[]`), parsed(`5`), parsed(`[["a"],{"k":1}]`)))
		if g.one(10) {
			args.Delete("values")
		}
	default:
		args = dict("value", g.value())
	}
	c := dict("op", pick(g, "", "", "", "!")+op, "args", args)
	if g.one(5) && len(args.Keys()) > 1 {
		var list hints.PythonList
		for _, key := range args.Keys() {
			list = append(list, args.Get(key))
		}
		c.Set("args", list)
	}
	if g.one(4) {
		c.Set("loop", g.loop())
		if g.one(2) {
			c.Set("multiple", pick(g, "any", "all", "first", "last"))
		}
	}
	return c
}

func (g generator) regex() string {
	return pick(g, "", "8", "x86.*", "^Dell", "Inc\\.$", "(?i)dell", "[a-z]+\\d", "R6\\d+", "(HPE|Dell)", "a|8", "eno[12]", "r7-n\\d{2}", "[", "(", "*a", "a**",
		"\\bDell\\b", "(?P<a>.)(?P=a)", "(.)\\1", "(?!Dell).*", "(?=D)", "\\Z", "\\A8\\Z", "^$", "[^\\w]", "[]a]", "[a-c[]", "x{,3}8", "x{1,2}", "{", "8$|x", "\\q", ".{3,}", "None", "True", "\\s", "\\/dev", "a{2", "^.*$", "\\.")
}

func (g generator) loop() any {
	return pick(g, parsed(`["eno1","8","x86_64"]`), parsed(`[{"name":"eno1","path":"extra/{item[name]}"},{"name":"{inventory[cpu][count]}","path":"extra.x"}]`),
		parsed(`{"name":"CUSTOM_{inventory[cpu][architecture]}","path":"properties/x"}`), parsed(`[1,2.5,null]`), parsed(`[]`), parsed(`{}`), parsed(`[["a"]]`),
		parsed(`["{inventory[interfaces][0][name]}","{node.name}"]`))
}

func (g generator) path() any {
	return pick[any](g, "extra/a", "extra/deep/er", "extra.a.b", "extra/list", "extra/text/x", "properties/cpus", "properties/capabilities", "properties.root_device.size",
		"name", "resource_class", "owner", "driver_info/redfish_username", "driver_info/password", "extra", "properties", "maintenance", "description", "made_up", "made_up/x",
		"automated_clean", "instance_info/a/b/c", "name/x", "owner/x", "/extra/a/", "extra//a", "", "traits", "uuid", "conductor_group", "{item}", "extra/{item}", "{item[path]}", "retired", "extra/a/b",
		hints.PythonInt("5"))
}

func (g generator) action() any {
	op := pick(g, "set-attribute", "set-attribute", "set-attribute", "extend-attribute", "del-attribute", "set-capability", "unset-capability", "add-trait", "remove-trait",
		"set-plugin-data", "extend-plugin-data", "unset-plugin-data", "set-port-attribute", "extend-port-attribute", "del-port-attribute", "log", "fail")
	plugin := pick[any](g, "a", "a.b", "a.b.c", "a.b.c.d", "new.path.here", "list", "list.0", "deep.list", "text", "text.x", "number", "null", "empty", "parsed_lldp.eno1", "auth_token", "auth_token.x", "a/b", "")
	port := pick[any](g, "aaaaaaa0-0000-4000-8000-000000000000", "aaaaaaa0-0000-4000-8000-000000000000", "aaaaaaa1-0000-4000-8000-000000000000", "none", "{item}")
	portPath := pick[any](g, "extra/a", "extra/b", "name", "physical_network", "pxe_enabled", "local_link_connection/port_id", "extra", "made_up", "extra/a/b", "name/x")
	var args *hints.PythonDict
	switch op {
	case "set-attribute":
		args = dict("path", g.path(), "value", g.value())
	case "extend-attribute":
		args = dict("path", g.path(), "value", g.value())
		if g.one(2) {
			args.Set("unique", g.one(2))
		}
	case "del-attribute":
		args = dict("path", g.path())
	case "set-capability":
		args = dict("name", pick[any](g, "boot_mode", "a", "{item}", hints.PythonInt("5")), "value", g.value())
	case "unset-capability":
		args = dict("name", pick[any](g, "boot_mode", "a", "zz", hints.PythonInt("5")))
	case "add-trait", "remove-trait":
		args = dict("name", pick[any](g, "CUSTOM_A", "CUSTOM_B", "{item}", "{item[name]}", "lower"))
	case "set-plugin-data", "extend-plugin-data":
		args = dict("path", plugin, "value", g.value())
		if op == "extend-plugin-data" && g.one(2) {
			args.Set("unique", g.one(2))
		}
	case "unset-plugin-data":
		args = dict("path", plugin)
	case "set-port-attribute", "extend-port-attribute":
		args = dict("port_id", port, "path", portPath, "value", g.value())
	case "del-port-attribute":
		args = dict("port_id", port, "path", portPath)
	case "log":
		args = dict("msg", g.value())
		if g.one(2) {
			args.Set("level", pick[any](g, "INFO", "debug", "loud", "critical"))
		}
	default:
		args = dict("msg", g.value())
		if !g.one(4) { // this action ends the evaluation of the rules
			return g.action()
		}
	}
	a := dict("op", op, "args", args)
	if g.one(4) {
		a.Set("loop", g.loop())
	}
	return a
}

// brokenRule returns a rule that is often invalid.
func (g generator) brokenRule() any {
	rule := g.rule(1).(*hints.PythonDict)
	for range g.IntN(3) {
		g.damage(rule)
	}
	return rule
}

func (g generator) damage(rule *hints.PythonDict) {
	switch g.IntN(9) {
	case 0:
		rule.Set("priority", parsed(pick(g, "-1", "10000", "9999", "1.5", `"5"`, "null", "true", "0", "7.0")))
	case 1:
		rule.Set("phase", parsed(pick(g, `"main"`, `"preprocess"`, "null", "5", `""`)))
	case 2:
		rule.Set("description", pick[any](g, "d", nil, strings.Repeat("x", 255), strings.Repeat("x", 256), hints.PythonInt("5"), ""))
	case 3:
		rule.Set("sensitive", parsed(pick(g, "true", "null", `"yes"`, "1")))
	case 4:
		rule.Set(pick(g, "actions", "conditions"), parsed(pick(g, "[]", "null", "{}", `"x"`, "[5]")))
	case 5:
		rule.Delete(pick(g, "actions", "conditions", "priority", "phase"))
	case 6:
		rule.Set("unknown", g.one(2))
	default:
		list, _ := rule.Get(pick(g, "actions", "conditions")).(hints.PythonList)
		if len(list) == 0 {
			return
		}
		if operation, ok := list[0].(*hints.PythonDict); ok {
			g.damageOperation(operation)
		}
	}
}

func (g generator) damageOperation(o *hints.PythonDict) {
	switch g.IntN(6) {
	case 0:
		o.Set("op", pick[any](g, "eq", "!eq", "! eq", "!!eq", "fail", "le", "EQ", "", hints.PythonInt("5"), "one-of", "set-attribute"))
	case 1:
		o.Set("args", parsed(pick(g, "{}", "[]", "null", `"x"`, "5", `["a"]`, `["a","b"]`, `["a","b",1,2,3,4,5]`, `{"value":"x"}`, `{"msg":"m"}`)))
	case 2:
		o.Set("loop", parsed(pick(g, "[]", "{}", `"x"`, "5", "null")))
	case 3:
		o.Set("multiple", pick[any](g, "any", "some", "", nil))
	case 4:
		o.Delete(pick(g, "op", "args"))
	default:
		if args, ok := o.Get("args").(*hints.PythonDict); ok {
			args.Set(pick(g, "surplus", "value", "msg", "plugin_data"), "x")
		}
	}
}
