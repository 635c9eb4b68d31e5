package api

import (
	"bytes"
	"fmt"
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
