package request

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"ironworks/models"
)

// baremetal is a line for a shell. Its words are quoted where they need to be.
func baremetal(words ...string) string { return "baremetal " + strings.Join(words, " ") }

// quote makes one word of a POSIX shell of a text.
func quote(s string) string { return shellescape.Quote(s) }

// PatchCommands are baremetal commands that do what the operations do, with the secrets in
// them: for those who will run them. The command sets and unsets in two requests; between
// them both are there, which Ironic bears.
func PatchCommands(id string, ops []models.PatchOp) []string {
	return patchCommands(id, ops, func(op models.PatchOp) any { return op.Value })
}

func patchCommands(id string, ops []models.PatchOp, show func(op models.PatchOp) any) []string {
	var set, unset []string
	for _, op := range ops {
		object, field, nested := strings.Cut(strings.TrimPrefix(op.Path, "/"), "/")
		flag := "--" + strings.ReplaceAll(object, "_", "-")
		value := show(op)
		on, isSwitch := value.(bool)
		isSwitch = isSwitch && !nested
		switch off := offSwitches()[object]; {
		case isSwitch && !on && off != "":
			set = append(set, off)
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
			commands = append(commands, baremetal("node", c.verb, strings.Join(c.args, " "), quote(id)))
		}
	}
	return commands
}

// offSwitches are the flags that set a field to false. Other such fields are unset for that.
func offSwitches() map[string]string {
	return map[string]string{"automated_clean": "--no-automated-clean", "disable_power_off": "--enable-power-off"}
}

// shownValue is an operation's value without its secrets.
func shownValue(op models.PatchOp) any {
	value, err := plain(op.Value)
	if err != nil {
		return models.Mask
	}
	return maskedValue(leaf(op.Path), value)
}

// asText writes a value so that the baremetal command, which reads what looks like
// JSON as JSON (Python's, which has NaN and Infinity), has the same value.
func asText(value any) string {
	text, isText := value.(string)
	looksLikeJSON := json.Valid([]byte(text)) || slices.Contains([]string{"NaN", "Infinity", "-Infinity"}, strings.TrimSpace(text))
	if isText && !looksLikeJSON {
		return text
	}
	written, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(written)
}
