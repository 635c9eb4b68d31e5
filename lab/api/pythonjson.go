package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// jsonFault is what Python's decoder says of a text that is no JSON, which
// Ironic hands on. Of one that Python would take it says that there is more
// than a value.
func jsonFault(raw []byte) string {
	s := &jsonScanner{raw: raw}
	s.space()
	if !s.value() {
		return s.fault
	}
	s.space()
	s.fail("Extra data", s.at)
	return s.fault
}

type jsonScanner struct {
	raw   []byte
	at    int
	fault string
}

func (s *jsonScanner) space() {
	for s.at < len(s.raw) && bytes.IndexByte([]byte(" \t\n\r"), s.raw[s.at]) >= 0 {
		s.at++
	}
}

func (s *jsonScanner) next(char byte) bool { return s.at < len(s.raw) && s.raw[s.at] == char }

func (s *jsonScanner) fail(what string, at int) bool {
	before := s.raw[:min(at, len(s.raw))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := at - bytes.LastIndexByte(before, '\n')
	s.fault = fmt.Sprintf("%s: line %d column %d (char %d)", what, line, column, at)
	return false
}

func (s *jsonScanner) value() bool {
	switch {
	case s.next('{'):
		return s.object()
	case s.next('['):
		return s.array()
	case s.next('"'):
		return s.text()
	}
	for _, word := range []string{"true", "false", "null", "NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(s.raw[s.at:], []byte(word)) {
			s.at += len(word)
			return true
		}
	}
	start := s.at
	if s.next('-') {
		s.at++
	}
	digits := s.at
	for s.at < len(s.raw) && bytes.IndexByte([]byte("0123456789"), s.raw[s.at]) >= 0 {
		s.at++
	}
	if s.at == digits {
		return s.fail("Expecting value", start)
	}
	for s.at < len(s.raw) && bytes.IndexByte([]byte("0123456789.eE+-"), s.raw[s.at]) >= 0 {
		s.at++
	}
	return true
}

func (s *jsonScanner) text() bool {
	start := s.at
	for s.at++; s.at < len(s.raw); s.at++ {
		switch char := s.raw[s.at]; {
		case char == '"':
			s.at++
			return true
		case char == '\\':
			s.at++
		case char < ' ':
			return s.fail("Invalid control character at", s.at)
		}
	}
	return s.fail("Unterminated string starting at", start)
}

func (s *jsonScanner) object() bool {
	s.at++
	s.space()
	if s.next('}') {
		s.at++
		return true
	}
	for {
		if !s.next('"') {
			return s.fail("Expecting property name enclosed in double quotes", s.at)
		}
		if !s.text() {
			return false
		}
		if s.space(); !s.next(':') {
			return s.fail("Expecting ':' delimiter", s.at)
		}
		s.at++
		if done, ok := s.member('}'); done || !ok {
			return ok
		}
	}
}

func (s *jsonScanner) array() bool {
	s.at++
	s.space()
	if s.next(']') {
		s.at++
		return true
	}
	for {
		if done, ok := s.member(']'); done || !ok {
			return ok
		}
	}
}

// member is a value and what follows it: a comma, or the end.
func (s *jsonScanner) member(end byte) (done, ok bool) {
	if s.space(); !s.value() {
		return true, false
	}
	s.space()
	switch {
	case s.next(end):
		s.at++
		return true, true
	case s.next(','):
		s.at++
		s.space()
		return false, true
	default:
		return true, s.fail("Expecting ',' delimiter", s.at)
	}
}

// The numbers that Python's JSON has beside those of the standard.
var pythonNumbers = []string{"NaN", "-Infinity", "Infinity"}

// numberMark stands before such a number while the text is decoded.
const numberMark = "\ufffdpython\ufffd"

// numbersOfPython puts such numbers into quotes, so that the decoder takes them.
func numbersOfPython(raw []byte) (text []byte, found bool) {
	if !bytes.Contains(raw, []byte("NaN")) && !bytes.Contains(raw, []byte("Infinity")) {
		return raw, false
	}
	inText := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if inText && c == '\\' && i+1 < len(raw) {
			text = append(text, c, raw[i+1])
			i++
			continue
		}
		if c == '"' {
			inText = !inText
		}
		number := slices.IndexFunc(pythonNumbers, func(n string) bool { return bytes.HasPrefix(raw[i:], []byte(n)) })
		if inText || number < 0 {
			text = append(text, c)
			continue
		}
		text = append(text, `"`+numberMark+pythonNumbers[number]+`"`...)
		i += len(pythonNumbers[number]) - 1
		found = true
	}
	return text, found
}

// withNumbersOfPython takes the quotes away again.
func withNumbersOfPython(value any) any {
	switch v := value.(type) {
	case string:
		if number, ok := strings.CutPrefix(v, numberMark); ok {
			return json.Number(number)
		}
	case []any:
		for i := range v {
			v[i] = withNumbersOfPython(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = withNumbersOfPython(v[key])
		}
	}
	return value
}
