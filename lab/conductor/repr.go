package conductor

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ironworks/lab/db"
)

// repr is how Python shows a value: errors and the history quote steps that
// way. Objects that are steps have their keys in Ironic's order.
func repr(value any) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return reprText(v)
	case []string:
		return reprList(v)
	case []any:
		return reprList(v)
	case []db.Dict:
		return reprList(v)
	case db.Dict:
		return reprDict(v)
	case map[string]any:
		return reprDict(v)
	case map[string]string:
		d := db.Dict{}
		for key, text := range v {
			d[key] = text
		}
		return reprDict(d)
	case json.Number:
		return v.String()
	case float64:
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	default:
		return fmt.Sprint(v)
	}
}

func reprText(s string) string {
	quote := "'"
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = `"`
	}
	s = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, quote, `\`+quote).Replace(s)
	return quote + s + quote
}

func reprList[T any](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = repr(v)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func reprDict(d db.Dict) string {
	texts := make([]string, 0, len(d))
	for _, key := range orderOf(d) {
		texts = append(texts, repr(key)+": "+repr(d[key]))
	}
	return "{" + strings.Join(texts, ", ") + "}"
}

// The orders of the keys of steps: what a client gave, what the agent told and
// what interfaces declare.
var (
	userStep     = []string{"interface", "step", "args", "order", "execute_on_child_nodes", "limit_child_node_execution", "abortable", "priority"}
	agentStep    = []string{"step", "priority", "interface", "reboot_requested", "abortable", "argsinfo", "requires_ramdisk"}
	declaredStep = []string{"step", "priority", "abortable", "argsinfo", "interface", "requires_ramdisk"}
)

// orderOf are the keys of an object in the order in which Python would have
// them, where that is known.
func orderOf(d db.Dict) []string {
	keys := slices.Sorted(maps.Keys(d))
	if _, isStep := d["step"]; !isStep {
		return keys
	}
	order := userStep
	_, inBand := d["reboot_requested"]
	_, declared := d["argsinfo"]
	switch {
	case inBand:
		order = agentStep
	case declared:
		order = declaredStep
	}
	rank := func(key string) int {
		if i := slices.Index(order, key); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(keys, func(a, b string) int { return rank(a) - rank(b) })
	return keys
}

// reprJSON shows a JSON document, with its keys in their order.
func reprJSON(raw []byte) string {
	if len(raw) == 0 {
		return "None"
	}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	var b strings.Builder
	if err := reprTokens(decoder, &b); err != nil {
		return reprText(string(raw))
	}
	return b.String()
}

func reprTokens(decoder *json.Decoder, b *strings.Builder) error {
	token, err := decoder.Token()
	if err != nil {
		return fmt.Errorf("reading JSON: %w", err)
	}
	delim, ok := token.(json.Delim)
	if !ok {
		b.WriteString(repr(token))
		return nil
	}
	b.WriteString(delim.String())
	for i := 0; decoder.More(); i++ {
		if i > 0 {
			b.WriteString(", ")
		}
		if delim == '{' {
			if err := reprTokens(decoder, b); err != nil {
				return err
			}
			b.WriteString(": ")
		}
		if err := reprTokens(decoder, b); err != nil {
			return err
		}
	}
	end, err := decoder.Token()
	if err != nil {
		return fmt.Errorf("reading JSON: %w", err)
	}
	fmt.Fprint(b, end)
	return nil
}
