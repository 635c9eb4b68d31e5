package agent

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"ironworks/lab/python"
)

// dict is a JSON object that keeps the order of its keys: errors quote it.
//
// A value is nil, a bool, a number (as it was written), a string, a list or a
// *dict.
type dict struct {
	keys   []string
	values map[string]any
}

type (
	number string
	list   []any
)

func newDict(pairs ...any) *dict {
	d := &dict{values: map[string]any{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		d.set(pairs[i].(string), pairs[i+1])
	}
	return d
}

func (d *dict) set(key string, value any) {
	if _, known := d.values[key]; !known {
		d.keys = append(d.keys, key)
	}
	d.values[key] = value
}

// get is nil for what is not there; a nil dict has nothing.
func (d *dict) get(key string) any {
	if d == nil {
		return nil
	}
	return d.values[key]
}

func (d *dict) has(key string) bool {
	if d == nil {
		return false
	}
	_, ok := d.values[key]
	return ok
}

// dict is the object under a key, nil if there is none.
func (d *dict) dict(key string) *dict {
	sub, _ := d.get(key).(*dict)
	return sub
}

func (d *dict) text(key string) string {
	s, _ := d.get(key).(string)
	return s
}

// MarshalJSON writes the keys in their order.
func (d *dict) MarshalJSON() ([]byte, error) { return []byte(dump(d)), nil }

// UnmarshalJSON reads any object.
func (d *dict) UnmarshalJSON(raw []byte) error {
	v, err := parseJSON(string(raw))
	if err != nil {
		return err
	}
	o, ok := v.(*dict)
	if !ok {
		return raise("TypeError", "expected an object, got %s", typeName(v))
	}
	*d = *o
	return nil
}

// MarshalJSON writes the number as it was read.
func (n number) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// truthy is Python's idea of what is true.
func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case number:
		f, err := strconv.ParseFloat(string(v), 64)
		return err != nil || f != 0
	case list:
		return len(v) > 0
	case *dict:
		return len(v.keys) > 0
	}
	return true
}

// typeName is what Python calls the type of a value.
func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case string:
		return "str"
	case number:
		if strings.ContainsAny(string(v), ".eE") {
			return "float"
		}
		return "int"
	case list:
		return "list"
	}
	return "dict"
}

// str is Python's str() of a value, repr its repr().
func str(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return repr(v)
}

func repr(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return python.Quote(v)
	case number:
		return string(v)
	case list:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = repr(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case *dict:
		items := make([]string, len(v.keys))
		for i, key := range v.keys {
			items[i] = python.Quote(key) + ": " + repr(v.values[key])
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return ""
}

// dump writes JSON as Python's json.dumps does, spaces included.
func dump(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return dumpString(v)
	case number:
		return string(v)
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
		items := make([]string, len(v.keys))
		for i, key := range v.keys {
			items[i] = dumpString(key) + ": " + dump(v.values[key])
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	// What is not of these is ours, and can be encoded.
	raw, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(raw)
}

func dumpString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\f':
			b.WriteString(`\f`)
		case r >= ' ' && r < 0x7f || r == 0x7f:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b.WriteString(`\u` + hex4(high) + `\u` + hex4(low))
		default:
			b.WriteString(`\u` + hex4(r))
		}
	}
	b.WriteByte('"')
	return b.String()
}

func hex4(r rune) string { return fmt.Sprintf("%04x", r) }

// quote is urllib's: the slash stays as it is.
func quote(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("_.-~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
