package python

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Str is str() of a value that came as JSON.
func Str(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	return Repr(value)
}

// Repr is repr() of a value that came as JSON. Objects that are steps have
// their keys in Ironic's order, those of others are sorted: the order in the
// text that came is not kept.
func Repr(value any) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return Quote(v)
	case json.Number:
		return v.String()
	case float64:
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	switch v := reflect.ValueOf(value); v.Kind() { //nolint:exhaustive // the default is the rest
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = Repr(v.Index(i).Interface())
		}
		return "[" + strings.Join(items, ", ") + "]"
	case reflect.Map:
		return reprMap(v)
	default:
		return fmt.Sprint(value)
	}
}

func reprMap(v reflect.Value) string {
	keys := make([]string, 0, v.Len())
	for _, key := range v.MapKeys() {
		keys = append(keys, key.String())
	}
	items := make([]string, len(keys))
	for i, key := range inOrder(keys) {
		item := v.MapIndex(reflect.ValueOf(key).Convert(v.Type().Key()))
		items[i] = Quote(key) + ": " + Repr(item.Interface())
	}
	return "{" + strings.Join(items, ", ") + "}"
}

// The orders of the keys of steps: what a client gave, what the agent told and
// what interfaces declare.
var (
	userStep     = []string{"interface", "step", "args", "order", "execute_on_child_nodes", "limit_child_node_execution", "abortable", "priority"}
	agentStep    = []string{"step", "priority", "interface", "reboot_requested", "abortable", "argsinfo", "requires_ramdisk"}
	declaredStep = []string{"step", "priority", "abortable", "argsinfo", "interface", "requires_ramdisk"}
)

// inOrder sorts the keys of an object as Python would have them, where that is
// known.
func inOrder(keys []string) []string {
	slices.Sort(keys)
	if !slices.Contains(keys, "step") {
		return keys
	}
	order := userStep
	switch {
	case slices.Contains(keys, "reboot_requested"):
		order = agentStep
	case slices.Contains(keys, "argsinfo"):
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

// Quote is repr() of a string: in single quotes where that is possible.
func Quote(s string) string {
	quote := '\''
	if strings.ContainsRune(s, '\'') && !strings.ContainsRune(s, '"') {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			b.WriteString(`\x` + hexRune(r, 2))
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xff:
			b.WriteString(`\x` + hexRune(r, 2))
		case r <= 0xffff:
			b.WriteString(`\u` + hexRune(r, 4))
		default:
			b.WriteString(`\U` + hexRune(r, 8))
		}
	}
	b.WriteRune(quote)
	return b.String()
}

func hexRune(r rune, width int) string {
	s := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", max(0, width-len(s))) + s
}
