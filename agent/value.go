package agent

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"ironworks/models/hints"
)

// JSON objects and lists have types that preserve the same details as Python's types, such as the order of keys.
// Error messages show these values in Python's notation.
type (
	dict = hints.PythonDict
	list = hints.PythonList
)

func newDict(pairs ...any) *dict {
	d := &dict{}
	for i := 0; i+1 < len(pairs); i += 2 {
		d.Set(pairs[i].(string), pairs[i+1])
	}
	return d
}

func toPythonInt[N int | int64](n N) hints.PythonInt {
	return hints.PythonInt(strconv.FormatInt(int64(n), 10))
}

// dump encodes v as JSON in the same format as Python's json.dumps, including the spaces.
func dump(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return dumpString(v)
	case hints.PythonInt:
		return string(v)
	case float64:
		return hints.PythonRepr(v)
	case list:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = dump(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case *dict:
		if v == nil {
			return "null"
		}
		keys := v.Keys()
		items := make([]string, len(keys))
		for i, key := range keys {
			items[i] = dumpString(key) + ": " + dump(v.Get(key))
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	// All other values come from the agent itself, and can be encoded.
	raw, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(raw)
}

// dumpString encodes a string like Python, which escapes all characters outside ASCII.
func dumpString(s string) string {
	var encoded, b strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // cannot fail for a string
	for _, r := range strings.TrimSuffix(encoded.String(), "\n") {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
