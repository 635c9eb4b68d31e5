package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// What Python makes of JSON. Ironic and its agent judge hints by the type, the
// truth and the text of what they were given, so that is what is kept: a value is
// nil, a bool, a pyInt, a float64, a string, a pyList or a *pyDict.
type (
	// pyInt is a whole number as Python writes it.
	pyInt string
	// pyList is a list.
	pyList []any
)

// pyDict is an object that keeps the order of its keys: errors quote it.
type pyDict struct {
	keys   []string
	values map[string]any
}

func (d *pyDict) set(key string, value any) {
	if _, known := d.values[key]; !known {
		d.keys = append(d.keys, key)
	}
	d.values[key] = value
}

// get is nil for what is not there; a nil object has nothing.
func (d *pyDict) get(key string) any {
	if d == nil {
		return nil
	}
	return d.values[key]
}

// decodePython reads one JSON document.
func decodePython(raw []byte) (any, error) {
	if !json.Valid(raw) {
		var nothing any
		return nil, fmt.Errorf("reading JSON: %w", json.Unmarshal(raw, &nothing))
	}
	return (&validJSON{raw: raw}).value(), nil
}

// validJSON reads JSON that was found to be valid: a hundred thousand cases are to
// take seconds.
type validJSON struct {
	raw []byte
	at  int
}

// next is the next character that is no space.
func (j *validJSON) next() byte {
	for j.raw[j.at] <= ' ' {
		j.at++
	}
	return j.raw[j.at]
}

// ends tells whether a list or an object ends here, and steps over the comma if not.
func (j *validJSON) ends(with byte) bool {
	c := j.next()
	if c == with || c == ',' {
		j.at++
	}
	return c == with
}

func (j *validJSON) value() any {
	switch c := j.next(); c {
	case '"':
		return j.text()
	case '[':
		j.at++
		list := pyList{}
		for !j.ends(']') {
			list = append(list, j.value())
		}
		return list
	case '{':
		j.at++
		d := &pyDict{values: map[string]any{}}
		for !j.ends('}') {
			j.next()
			key := j.text()
			j.next()
			j.at++ // the colon
			d.set(key, j.value())
		}
		return d
	case 't':
		j.at += len("true")
		return true
	case 'f':
		j.at += len("false")
		return false
	case 'n':
		j.at += len("null")
		return nil
	}
	start := j.at
	for j.at < len(j.raw) && strings.IndexByte("+-.0123456789Ee", j.raw[j.at]) >= 0 {
		j.at++
	}
	return pythonNumber(string(j.raw[start:j.at]))
}

func (j *validJSON) text() string {
	start, plain := j.at, true
	for j.at++; j.raw[j.at] != '"'; j.at++ {
		if j.raw[j.at] == '\\' {
			plain = false
			j.at++
		}
	}
	j.at++
	if plain {
		return strings.ToValidUTF8(string(j.raw[start+1:j.at-1]), "\ufffd")
	}
	text := ""
	_ = json.Unmarshal(j.raw[start:j.at], &text) // valid
	return text
}

func pythonNumber(text string) any {
	if strings.ContainsAny(text, ".eE") {
		f, _ := strconv.ParseFloat(text, 64) // too large is infinite, as it is in Python
		return f
	}
	if text == "-0" {
		text = "0"
	}
	return pyInt(text)
}

// pythonTruthy is Python's idea of what is true.
func pythonTruthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case pyInt:
		return v != "0"
	case float64:
		return v != 0
	case pyList:
		return len(v) > 0
	case *pyDict:
		return len(v.keys) > 0
	}
	return true
}

// pythonType is what Python calls the type of a value.
func pythonType(v any) string {
	switch v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case string:
		return "str"
	case pyInt:
		return "int"
	case float64:
		return "float"
	case pyList:
		return "list"
	}
	return "dict"
}

// pythonStr is Python's str() of a value, pythonRepr its repr().
func pythonStr(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return pythonRepr(v)
}

func pythonRepr(v any) string {
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
	case pyInt:
		return string(v)
	case float64:
		return pythonFloat(v)
	case pyList:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = pythonRepr(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case *pyDict:
		items := make([]string, len(v.keys))
		for i, key := range v.keys {
			items[i] = pythonQuote(key) + ": " + pythonRepr(v.values[key])
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return ""
}

// pythonFloat writes a float with the fewest digits that mean it, as Python does.
func pythonFloat(f float64) string {
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

// asNumber is a value that Python calculates with: bools are numbers there.
// ok is false for what is none, whole for what is an int.
func asNumber(v any) (n float64, ok bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case float64:
		return v, true
	case pyInt:
		whole, isWhole := new(big.Int).SetString(string(v), 10)
		if !isWhole {
			return 0, false
		}
		n, _ = new(big.Float).SetInt(whole).Float64()
		return n, true
	}
	return 0, false
}

// jsonOf writes a value as JSON again, its keys in their order.
func jsonOf(v any) []byte {
	var b bytes.Buffer
	writeJSONValue(&b, v)
	return b.Bytes()
}

func writeJSONValue(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case pyInt:
		b.WriteString(string(v))
	case pyList:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSONValue(b, item)
		}
		b.WriteByte(']')
	case *pyDict:
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
		e.SetEscapeHTML(false) // people read it: ">= 100"
		if err := e.Encode(v); err != nil {
			b.WriteString("null") // an infinite number: JSON has none
			return
		}
		b.Truncate(b.Len() - 1) // the line's end
	}
}
