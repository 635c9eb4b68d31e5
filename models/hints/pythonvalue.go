package hints

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"ironworks/models"
)

// Types for JSON values as Python represents them. They are needed because the results of Ironic and its agent depend
// on a value's type, its truth value and its form as a string. A value is nil, a bool, a PythonInt, a float64, a
// string, a PythonList or a *PythonDict.
type (
	// PythonInt is an integer of any size, in the decimal form that Python writes.
	PythonInt string
	// PythonList is a list of values.
	PythonList []any
)

// MarshalJSON encodes the integer as a JSON number.
func (i PythonInt) MarshalJSON() ([]byte, error) { return []byte(i), nil }

// PythonDict is an object that keeps its keys in order, because errors quote them in order. The zero value is an
// empty object.
type PythonDict struct {
	keys   []string
	values map[string]any
}

// Set sets the value of key. A new key becomes the last one.
func (d *PythonDict) Set(key string, value any) {
	if d.values == nil {
		d.values = map[string]any{}
	}
	if _, known := d.values[key]; !known {
		d.keys = append(d.keys, key)
	}
	d.values[key] = value
}

// Delete removes key and its value.
func (d *PythonDict) Delete(key string) {
	d.keys = slices.DeleteFunc(d.keys, func(k string) bool { return k == key })
	delete(d.values, key)
}

// Get returns the value of key, or nil if there is none. d may be nil.
func (d *PythonDict) Get(key string) any {
	if d == nil {
		return nil
	}
	return d.values[key]
}

// Has reports whether the object contains key, even if its value is None.
func (d *PythonDict) Has(key string) bool {
	if d == nil {
		return false
	}
	_, has := d.values[key]
	return has
}

// Keys returns a copy of the keys in order.
func (d *PythonDict) Keys() []string {
	if d == nil {
		return nil
	}
	return slices.Clone(d.keys)
}

// Ordered returns a copy with the given keys, as far as they exist, before the others. d may be nil.
func (d *PythonDict) Ordered(first ...string) *PythonDict {
	ordered := &PythonDict{}
	for _, key := range slices.Concat(first, d.Keys()) {
		if d.Has(key) {
			ordered.Set(key, d.Get(key))
		}
	}
	return ordered
}

// Dict returns the value of key if it is an object. Otherwise it returns nil.
func (d *PythonDict) Dict(key string) *PythonDict {
	sub, _ := d.Get(key).(*PythonDict)
	return sub
}

// Text returns the value of key if it is a string. Otherwise it returns "".
func (d *PythonDict) Text(key string) string {
	s, _ := d.Get(key).(string)
	return s
}

// MarshalJSON encodes the object with its keys in order.
func (d *PythonDict) MarshalJSON() ([]byte, error) { return jsonOf(d), nil }

// PythonNumber converts a JSON number to a PythonInt if it is written as an integer, and to a float64 if not.
func PythonNumber(text string) any {
	if strings.ContainsAny(text, ".eE") {
		f, _ := strconv.ParseFloat(text, 64) // as in Python, numbers that are too large become infinite
		return f
	}
	if text == "-0" {
		text = "0"
	}
	return PythonInt(text)
}

// PythonTruthy reports whether v counts as true in Python. It emulates bool().
func PythonTruthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case PythonInt:
		return v != "0"
	case float64:
		return v != 0
	case PythonList:
		return len(v) > 0
	case *PythonDict:
		return len(v.keys) > 0
	}
	return true
}

// PythonSame reports whether a and b have the same type and the same value, regardless of the order of keys. For
// example, "8" is not the same as 8, and 1 is not the same as true.
func PythonSame(a, b any) bool {
	switch x := a.(type) {
	case PythonList:
		y, ok := b.(PythonList)
		return ok && slices.EqualFunc(x, y, PythonSame)
	case *PythonDict:
		y, ok := b.(*PythonDict)
		return ok && len(x.keys) == len(y.keys) && !slices.ContainsFunc(x.keys, func(key string) bool {
			return !y.Has(key) || !PythonSame(x.values[key], y.values[key])
		})
	}
	return PythonTypeName(a) == PythonTypeName(b) && PythonRepr(a) == PythonRepr(b)
}

// PythonTypeName returns the name of the value's type in Python.
func PythonTypeName(v any) string {
	switch v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case string:
		return "str"
	case PythonInt:
		return "int"
	case float64:
		return "float"
	case PythonList:
		return "list"
	}
	return "dict"
}

// PythonStr emulates Python's str().
func PythonStr(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return PythonRepr(v)
}

// PythonRepr emulates Python's repr().
func PythonRepr(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return pythonQuote(v)
	case PythonInt:
		return string(v)
	case float64:
		return writtenFloat(v)
	case PythonList:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = PythonRepr(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case *PythonDict:
		items := make([]string, len(v.keys))
		for i, key := range v.keys {
			items[i] = pythonQuote(key) + ": " + PythonRepr(v.values[key])
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return ""
}

// writtenFloat formats a float with the fewest digits, as Python does.
func writtenFloat(f float64) string {
	short := strconv.FormatFloat(f, 'e', -1, 64)
	_, exponent, ok := strings.Cut(short, "e")
	if !ok {
		return strings.ToLower(strings.TrimPrefix(short, "+")) // the value is infinite or not a number
	}
	if e, _ := strconv.Atoi(exponent); e < -4 || e >= 16 {
		return short
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// PythonFloat converts a number to a float. As in Python, a bool counts as a number. The ok result is false for
// values of other types.
func PythonFloat(v any) (n float64, ok bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case float64:
		return v, true
	case PythonInt:
		whole, isWhole := new(big.Int).SetString(string(v), 10)
		if !isWhole {
			return 0, false
		}
		n, _ = new(big.Float).SetInt(whole).Float64()
		return n, true
	}
	return 0, false
}

// jsonOf encodes v as JSON. The keys of objects keep their order.
func jsonOf(v any) []byte {
	var b bytes.Buffer
	writeJSONValue(&b, v)
	return b.Bytes()
}

func writeJSONValue(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case PythonInt:
		b.WriteString(string(v))
	case PythonList:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSONValue(b, item)
		}
		b.WriteByte(']')
	case *PythonDict:
		b.WriteByte('{')
		for i, key := range v.keys {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSONValue(b, key)
			b.WriteByte(':')
			writeJSONValue(b, v.values[key])
		}
		b.WriteByte('}')
	default:
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false) // people read this JSON: ">= 100" should stay readable
		if err := e.Encode(v); err != nil {
			b.WriteString("null") // JSON has no representation of infinity and NaN
			return
		}
		b.Truncate(b.Len() - 1) // remove the newline that Encode adds
	}
}

// PythonMasked returns a copy of v without secrets. A value whose key looks like the name of a secret is replaced by
// [models.Mask]. key is the key of v itself, or "" if it has none.
func PythonMasked(key string, v any) any {
	return pythonMap(key, v, func(key string, v any) any {
		switch v.(type) {
		case string, bool, float64, PythonInt:
			if models.SecretKey(key) {
				return models.Mask
			}
		}
		return v
	})
}

// PythonCopy returns a deep copy of v.
func PythonCopy(v any) any { return pythonMap("", v, func(_ string, v any) any { return v }) }

// pythonMap returns a copy of v in which change has replaced each value that is neither an object nor a list.
func pythonMap(key string, v any, change func(key string, v any) any) any {
	switch v := v.(type) {
	case *PythonDict:
		d := &PythonDict{}
		for _, k := range v.Keys() {
			d.Set(k, pythonMap(k, v.Get(k), change))
		}
		return d
	case PythonList:
		list := make(PythonList, len(v))
		for i := range v {
			list[i] = pythonMap(key, v[i], change)
		}
		return list
	}
	return change(key, v)
}
