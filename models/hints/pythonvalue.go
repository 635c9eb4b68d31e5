package hints

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// What Python makes of JSON. Ironic and its agent judge what they were given by its
// type, its truth and its text, and quote it in their sentences; so that is what is
// kept: a value is nil, a bool, a PythonInt, a float64, a string, a PythonList or a
// *PythonDict.
type (
	// PythonInt is a whole number as Python writes it.
	PythonInt string
	// PythonList is a list.
	PythonList []any
)

// PythonDict is an object that keeps the order of its keys: errors quote it. The
// zero value is an empty one.
type PythonDict struct {
	keys   []string
	values map[string]any
}

// Set puts a value under a key: a new key stands last.
func (d *PythonDict) Set(key string, value any) {
	if d.values == nil {
		d.values = map[string]any{}
	}
	if _, known := d.values[key]; !known {
		d.keys = append(d.keys, key)
	}
	d.values[key] = value
}

// Get is nil for what is not there; a nil object has nothing.
func (d *PythonDict) Get(key string) any {
	if d == nil {
		return nil
	}
	return d.values[key]
}

// Has tells a key with None from one that is not there.
func (d *PythonDict) Has(key string) bool {
	if d == nil {
		return false
	}
	_, has := d.values[key]
	return has
}

// Keys are the keys in their order; they are the caller's.
func (d *PythonDict) Keys() []string {
	if d == nil {
		return nil
	}
	return slices.Clone(d.keys)
}

// Dict is the object under a key, nil if there is none.
func (d *PythonDict) Dict(key string) *PythonDict {
	sub, _ := d.Get(key).(*PythonDict)
	return sub
}

// Text is the string under a key, empty if there is none.
func (d *PythonDict) Text(key string) string {
	s, _ := d.Get(key).(string)
	return s
}

// MarshalJSON writes the keys in their order.
func (d *PythonDict) MarshalJSON() ([]byte, error) { return jsonOf(d), nil }

// PythonNumber is a number of JSON: whole if it is written so.
func PythonNumber(text string) any {
	if strings.ContainsAny(text, ".eE") {
		f, _ := strconv.ParseFloat(text, 64) // too large is infinite, as it is in Python
		return f
	}
	if text == "-0" {
		text = "0"
	}
	return PythonInt(text)
}

// PythonTruthy is Python's idea of what is true.
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

// PythonTypeName is what Python calls the type of a value.
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

// PythonStr is Python's str() of a value.
func PythonStr(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return PythonRepr(v)
}

// PythonRepr is repr() of a value.
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

// writtenFloat writes a float with the fewest digits that mean it, as Python does.
func writtenFloat(f float64) string {
	short := strconv.FormatFloat(f, 'e', -1, 64)
	_, exponent, ok := strings.Cut(short, "e")
	if !ok {
		return strings.ToLower(strings.TrimPrefix(short, "+")) // inf
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

// PythonFloat is a value that Python calculates with: bools are numbers there. ok is
// false for what is none.
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
