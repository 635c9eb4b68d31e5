package request

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"ironworks/models"
)

// baremetal returns a baremetal command. The words must already be quoted for the shell.
func baremetal(words ...string) string { return "baremetal " + strings.Join(words, " ") }

func quote(s string) string { return shellescape.Quote(s) }

// PatchCommands returns baremetal commands that apply the operations to a node. Secrets are not masked, so that the
// commands can be run. The client sets and unsets fields in two separate requests. Between these requests, the node
// contains both the old and the new fields, which is harmless.
func PatchCommands(id string, ops []models.PatchOp) []string {
	return patchCommands("node", id, ops, func(op models.PatchOp) any { return op.Value })
}

// patchCommands returns the commands that apply the operations to a node, a port or a port group. show returns the
// value of an operation as it appears in the command.
func patchCommands(noun, id string, ops []models.PatchOp, show func(op models.PatchOp) any) []string {
	var set, unset []string
	for _, op := range ops {
		object, field, nested := strings.Cut(strings.TrimPrefix(op.Path, "/"), "/")
		flag := flagOf(object)
		value := show(op)
		on, isSwitch := value.(bool)
		isSwitch = isSwitch && !nested
		switch off := offSwitches()[object]; {
		case isSwitch && !on && off != "":
			set = append(set, off)
		case isSwitch && on && object == "standalone_ports_supported":
			set = append(set, "--support-standalone-ports")
		case nested && op.Op == "remove":
			unset = append(unset, flag, quote(field))
		case nested:
			set = append(set, flag, quote(field+"="+asText(value)))
		case op.Op == "remove", isSwitch && !on:
			unset = append(unset, flag)
		case isSwitch:
			set = append(set, flag)
		default:
			set = append(set, flag, quote(asText(value)))
		}
	}
	var commands []string
	for _, c := range []struct {
		verb string
		args []string
	}{{"set", set}, {"unset", unset}} {
		if len(c.args) > 0 {
			commands = append(commands, baremetal(noun, c.verb, strings.Join(c.args, " "), quote(id)))
		}
	}
	return commands
}

// offSwitches maps boolean fields to the flags that set them to false. Other boolean fields have no such flag and are
// unset instead.
func offSwitches() map[string]string {
	return map[string]string{
		"automated_clean": "--no-automated-clean", "disable_power_off": "--enable-power-off",
		"pxe_enabled": "--pxe-disabled", "standalone_ports_supported": "--unsupport-standalone-ports",
	}
}

// flagOf returns the client's flag for the given field. For a field that holds an object, it is the flag that sets a
// key of the object.
func flagOf(field string) string {
	switch field {
	case "node_uuid":
		return "--node"
	case "portgroup_uuid":
		return "--port-group"
	case "properties":
		return "--property"
	}
	return "--" + strings.ReplaceAll(field, "_", "-")
}

func shownValue(op models.PatchOp) any {
	value, err := plain(op.Value)
	if err != nil {
		return models.Mask
	}
	return maskedValue(leaf(op.Path), value)
}

// asText formats a value for the baremetal client. The client parses text that looks like JSON, so asText encodes
// such text as a JSON string. Like Python, the client also accepts NaN and Infinity.
func asText(value any) string {
	text, isText := value.(string)
	looksLikeJSON := json.Valid([]byte(text)) || slices.Contains([]string{"NaN", "Infinity", "-Infinity"}, strings.TrimSpace(text))
	if isText && !looksLikeJSON {
		return text
	}
	written, err := models.JSONText(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return written
}
