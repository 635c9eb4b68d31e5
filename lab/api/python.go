package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ironworks/lab/db"
)

// pythonText is str() of a JSON value, as Ironic's sentences have it.
func pythonText(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	return pythonRepr(value)
}

// pythonRepr is repr() of a JSON value. The keys of an object are sorted: their
// order in the request is not kept.
func pythonRepr(value any) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return pythonQuote(v)
	case json.Number:
		return v.String()
	case []string:
		items := make([]any, len(v))
		for i := range v {
			items[i] = v[i]
		}
		return pythonRepr(items)
	case []any:
		items := make([]string, len(v))
		for i := range v {
			items[i] = pythonRepr(v[i])
		}
		return "[" + strings.Join(items, ", ") + "]"
	case db.Dict:
		return pythonRepr(map[string]any(v))
	case map[string]any:
		items := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			items = append(items, pythonQuote(key)+": "+pythonRepr(v[key]))
		}
		return "{" + strings.Join(items, ", ") + "}"
	default:
		return fmt.Sprint(v)
	}
}

// pythonQuote prefers single quotes, as repr() does.
func pythonQuote(s string) string {
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
			b.WriteString(`\x`)
			if r < 16 {
				b.WriteByte('0')
			}
			b.WriteString(strconv.FormatInt(int64(r), 16))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteRune(quote)
	return b.String()
}

// truthy is Python's idea of a value that counts.
func truthy(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case json.Number:
		f, err := v.Float64()
		return err != nil || f != 0
	case []any:
		return len(v) > 0
	case db.Dict:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	default:
		return true
	}
}
