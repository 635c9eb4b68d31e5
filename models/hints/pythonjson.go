package hints

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// DecodePython parses one JSON document.
func DecodePython(raw []byte) (any, error) {
	if !json.Valid(raw) {
		var nothing any
		return nil, fmt.Errorf("reading JSON: %w", json.Unmarshal(raw, &nothing))
	}
	return (&validJSON{raw: raw}).value(), nil
}

// validJSON parses valid JSON quickly, because tests have 100 000 cases.
type validJSON struct {
	raw []byte
	at  int
}

// next returns the next non-space character.
func (j *validJSON) next() byte {
	for j.raw[j.at] <= ' ' {
		j.at++
	}
	return j.raw[j.at]
}

// ends reports whether the list or object ends here; otherwise it consumes the comma.
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
		list := PythonList{}
		for !j.ends(']') {
			list = append(list, j.value())
		}
		return list
	case '{':
		j.at++
		d := &PythonDict{}
		for !j.ends('}') {
			j.next()
			key := j.text()
			j.next()
			j.at++ // the colon
			d.Set(key, j.value())
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
	return PythonNumber(string(j.raw[start:j.at]))
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

// jsonOf encodes a value as JSON, with keys in their order.
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
		e.SetEscapeHTML(false) // for people: ">= 100"
		if err := e.Encode(v); err != nil {
			b.WriteString("null") // JSON has no infinity
			return
		}
		b.Truncate(b.Len() - 1) // the newline
	}
}
