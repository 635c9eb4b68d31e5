package request

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"ironworks/models"
	"ironworks/printable"
)

// CreateNode returns the request that creates a node. body holds the fields of POST /v1/nodes, which may include
// secrets.
func CreateNode(body map[string]any) Request {
	name := models.TextOf(body["name"])
	if name == "" {
		name = models.TextOf(body["uuid"])
	}
	return Request{
		Op: "create node " + printable.Line(name), Method: post, Path: path("nodes"), Body: body, Sensitive: true,
		Commands: []string{baremetal(append([]string{"node", "create"}, createFlags(body, "")...)...)},
	}
}

// CreatePort returns the request that creates a port. body holds the fields of POST /v1/ports.
func CreatePort(body map[string]any) Request {
	address := models.TextOf(body["address"])
	return Request{
		Op: "create port " + printable.Line(address), Method: post, Path: path("ports"), Body: body,
		Commands: []string{baremetal(append(append([]string{"port", "create"}, createFlags(body, "address")...), quote(address))...)},
	}
}

// CreatePortgroup returns the request that creates a port group. body holds the fields of POST /v1/portgroups.
func CreatePortgroup(body map[string]any) Request {
	return Request{
		Op: "create port group " + printable.Line(models.TextOf(body["name"])), Method: post, Path: path("portgroups"), Body: body,
		Commands: []string{baremetal(append([]string{"port", "group", "create"}, createFlags(body, "")...)...)},
	}
}

// PatchPort returns the request that changes a port.
func PatchPort(id string, ops []models.PatchOp) Request { return patchPart("port", "ports", id, ops) }

// PatchPortgroup returns the request that changes a port group.
func PatchPortgroup(id string, ops []models.PatchOp) Request {
	return patchPart("port group", "portgroups", id, ops)
}

func patchPart(noun, collection, id string, ops []models.PatchOp) Request {
	r := Request{Op: "change " + noun + " " + printable.Line(id), Method: patch, Path: path(collection, id), Body: ops}
	r.Commands = patchCommands(noun, id, ops, shownValue)
	return r
}

// DeletePort returns the request that deletes a port.
func DeletePort(id string) Request { return deletePart("port", "ports", id) }

// DeletePortgroup returns the request that deletes a port group. The ports in it are not deleted.
func DeletePortgroup(id string) Request { return deletePart("port group", "portgroups", id) }

func deletePart(noun, collection, id string) Request {
	return Request{
		Op: "delete " + noun + " " + printable.Line(id), Method: remove, Path: path(collection, id),
		Commands: []string{baremetal(noun, "delete", quote(id))},
	}
}

// AttachVIF returns the request that attaches a virtual interface to a node. port or portgroup is the UUID of the
// port or port group to use. If both are empty, Ironic chooses a port.
func AttachVIF(node, vif, port, portgroup string) Request {
	body, words := map[string]any{"id": vif}, []string{"node", "vif", "attach"}
	for _, to := range []struct{ field, flag, uuid string }{{"port_uuid", "--port-uuid", port}, {"portgroup_uuid", "--portgroup-uuid", portgroup}} {
		if to.uuid != "" {
			body[to.field] = to.uuid
			words = append(words, to.flag, quote(to.uuid))
		}
	}
	return Request{
		Op: "attach VIF " + printable.Line(vif) + " to node " + printable.Line(node), Method: post, Path: path("nodes", node, "vifs"),
		Body: body, Commands: []string{baremetal(append(words, quote(node), quote(vif))...)},
	}
}

// DetachVIF returns the request that detaches a virtual interface from a node.
func DetachVIF(node, vif string) Request {
	return Request{
		Op: "detach VIF " + printable.Line(vif) + " from node " + printable.Line(node), Method: remove, Path: path("nodes", node, "vifs", vif),
		Commands: []string{baremetal("node", "vif", "detach", quote(node), quote(vif))},
	}
}

// createFlags returns the flags of a create command, with secrets masked. It omits the field named by positional,
// which is passed as an argument without a flag.
func createFlags(body map[string]any, positional string) []string {
	shown, _ := maskedBody(body).(map[string]any)
	var flags []string
	for _, key := range slices.Sorted(maps.Keys(shown)) {
		flag := flagOf(key)
		if key == positional {
			continue
		}
		switch value := shown[key].(type) {
		case nil:
		case map[string]any:
			if key == "network_data" {
				text, _ := models.JSONText(value)
				flags = append(flags, flag, quote(text))
				continue
			}
			for _, field := range slices.Sorted(maps.Keys(value)) {
				flags = append(flags, flag, quote(field+"="+asText(value[field])))
			}
		case bool:
			flags = append(flags, createSwitch(key, flag, value)...)
		default:
			flags = append(flags, flag, quote(asText(value)))
		}
	}
	return flags
}

// createSwitch returns the flags that set a boolean field. The client offers a switch for some fields, and a flag
// with a value for others. Fields that are false by default have no flag for false.
func createSwitch(key, flag string, on bool) []string {
	switch key {
	case "pxe_enabled":
		return []string{flag, fmt.Sprint(on)}
	case "standalone_ports_supported":
		flag = "--support-standalone-ports"
	case "automated_clean", "disable_power_off", "is_smartnic":
	default:
		return []string{flag, fmt.Sprint(on)}
	}
	if on {
		return []string{flag}
	}
	if off := offSwitches()[key]; off != "" {
		return []string{off}
	}
	return nil
}

// Rule holds the parts of an inspection rule that are needed to build requests.
type Rule struct {
	UUID, Label string
	// Body is the body of POST /v1/inspection_rules.
	Body json.Marshaler
	// Sensitive means that the rule may contain secrets.
	Sensitive bool
}

// CreateRule returns the request that creates an inspection rule.
func CreateRule(r Rule) Request {
	return Request{
		Op: "create inspection rule " + printable.Line(r.Label), Method: post, Path: path("inspection_rules"), Body: r.Body,
		Feature: models.FeatureInspectionRules, Sensitive: r.Sensitive, Commands: createRuleCommands(r),
	}
}

// createRuleCommands returns the baremetal command that creates the rule. It returns nil if the rule has a priority
// or is sensitive, because the client sends the values of these two fields as strings, which Ironic 39.0.0 rejects.
func createRuleCommands(r Rule) []string {
	v, err := plain(r.Body)
	fields, ok := maskedValue("", v).(map[string]any)
	if err != nil || !ok || r.Sensitive || fields["priority"] != 0.0 {
		return nil
	}
	words := []string{"inspection", "rule", "create"}
	for _, name := range []string{"uuid", "description"} {
		if value, has := fields[name].(string); has {
			words = append(words, "--"+name, quote(printable.Line(value)))
		}
	}
	for _, name := range []string{"conditions", "actions"} {
		words = append(words, "--"+name, quote(printable.Line(jsonOf(fields[name]))))
	}
	return []string{baremetal(words...)}
}

func jsonOf(v any) string {
	text, err := models.JSONText(v)
	if err != nil {
		return models.Mask
	}
	return text
}

// PatchRule returns the request that changes an inspection rule.
func PatchRule(r Rule, ops []models.PatchOp) Request {
	return Request{
		Op: "change inspection rule " + printable.Line(r.Label), Method: patch, Path: path("inspection_rules", r.UUID), Body: ops,
		Feature: models.FeatureInspectionRules, Sensitive: r.Sensitive,
	}
}

// DeleteRule returns the request that deletes an inspection rule.
func DeleteRule(r Rule) Request {
	return Request{
		Op: "delete inspection rule " + printable.Line(r.Label), Method: remove, Path: path("inspection_rules", r.UUID),
		Feature: models.FeatureInspectionRules, Commands: []string{baremetal("inspection", "rule", "delete", quote(r.UUID))},
	}
}

// Steps holds the parts of a deploy template or runbook that are needed to build requests.
type Steps struct {
	// Noun names the kind of object, such as "runbook". Collection is the path element for this kind, such as
	// "runbooks".
	Noun, Collection string
	UUID, Name       string
	// Body is the body of the POST request.
	Body    json.Marshaler
	Feature models.Feature
}

// CreateSteps returns the request that creates a deploy template or a runbook.
func CreateSteps(s Steps) Request {
	return Request{
		Op: "create " + s.Noun + " " + printable.Line(s.Name), Method: post, Path: path(s.Collection), Body: s.Body,
		Feature: s.Feature, Sensitive: true, Commands: createStepsCommands(s),
	}
}

func createStepsCommands(s Steps) []string {
	v, err := plain(s.Body)
	fields, ok := maskedValue("", v).(map[string]any)
	if err != nil || !ok {
		return nil
	}
	words := []string{"deploy", "template", "create", quote(s.Name)}
	if s.Collection == "runbooks" {
		words = []string{"runbook", "create", "--name", quote(s.Name)}
	}
	for _, name := range []string{"uuid", "description", "owner"} {
		if text, has := fields[name].(string); has {
			words = append(words, "--"+name, quote(printable.Line(text)))
		}
	}
	if fields["disable_ramdisk"] == true {
		words = append(words, "--disable-ramdisk")
	}
	if public, has := fields["public"].(bool); has && public {
		words = append(words, "--public", "true")
	}
	if extra, has := fields["extra"].(map[string]any); has {
		words = append(words, createFlags(map[string]any{"extra": extra}, "")...)
	}
	words = append(words, "--steps", quote(printable.Line(jsonOf(fields["steps"]))))
	return []string{baremetal(words...)}
}

// PatchSteps returns the request that changes a deploy template or a runbook.
func PatchSteps(s Steps, ops []models.PatchOp) Request {
	return Request{
		Op: "change " + s.Noun + " " + printable.Line(s.Name), Method: patch, Path: path(s.Collection, s.UUID), Body: ops,
		Feature: s.Feature, Sensitive: true,
	}
}

// PutRunbookTraits returns the request that replaces the traits of a runbook. A runbook can be run only on nodes that
// have one of its traits.
func PutRunbookTraits(ident string, traits any) Request {
	return Request{
		Op: "set the traits of runbook " + printable.Line(ident), Method: put, Path: path("runbooks", ident, "traits"),
		Body: map[string]any{"traits": traits}, Feature: models.FeatureRunbookTraits,
	}
}

// DeleteSteps returns the request that deletes a deploy template or a runbook.
func DeleteSteps(s Steps) Request {
	noun := s.Noun
	return Request{
		Op: "delete " + noun + " " + printable.Line(s.Name), Method: remove, Path: path(s.Collection, s.UUID), Feature: s.Feature,
		Commands: []string{baremetal(noun, "delete", quote(s.Name))},
	}
}
