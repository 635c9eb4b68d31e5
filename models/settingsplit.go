package models

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"ironworks/printable"
)

// SplitSettings splits text into settings at spaces outside quotes, as a shell does. A value that starts like a JSON
// list or object, such as KEY=[{"name": "/dev/sda"}], extends to the end of the JSON value.
func SplitSettings(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	has := false
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case c == ' ' || c == '\t':
			if has {
				words = append(words, word.String())
			}
			word.Reset()
			has = false
			at++
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[at+1:], c)
			if end < 0 {
				return nil, fmt.Errorf("unclosed quote (%c)", c)
			}
			word.WriteString(text[at+1 : at+1+end])
			has = true
			at += end + 2
		case jsonBegins(word.String(), text[at:]):
			value, err := leadingJSON(text[at:])
			if err != nil {
				return nil, fmt.Errorf("set %s: %w", printable.Line(strings.TrimRight(word.String(), "=+")), err)
			}
			word.WriteString(value)
			at += len(value)
		default:
			word.WriteByte(c)
			has = true
			at++
		}
	}
	if has {
		words = append(words, word.String())
	}
	return words, nil
}

// jsonBegins reports whether word ends with the = of a setting and rest starts like a JSON list or object.
func jsonBegins(word, rest string) bool {
	return strings.IndexByte(word, '=') == len(word)-1 && word != "" && looksLikeJSON(rest)
}

// looksLikeJSON reports whether text starts like a JSON list or object. An IPv6 address in brackets does not count as
// a list.
func looksLikeJSON(text string) bool {
	if !strings.HasPrefix(text, "[") {
		return strings.HasPrefix(text, "{")
	}
	inside, _, closed := strings.Cut(text[1:], "]")
	_, err := netip.ParseAddr(inside)
	return !closed || err != nil
}

// leadingJSON returns the JSON value at the start of text.
func leadingJSON(text string) (string, error) {
	var value json.RawMessage
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&value); err != nil {
		return "", notJSON(err)
	}
	return text[:decoder.InputOffset()], nil
}

// notJSON returns the error for invalid JSON. Usually the shell has removed the quotes of the JSON text, so the error
// explains how to quote it.
func notJSON(err error) error {
	return fmt.Errorf("the value looks like JSON but is invalid (%w): in a shell, put JSON in single quotes; for a string, use '\"TEXT\"'", err)
}

// Typed describes the setting, the value that is sent, and the value's type. Secrets are masked.
func (s Setting) Typed() string {
	key := strings.Join(s.Path, ".")
	if s.Op == SettingRemove {
		return printable.Line("remove " + key)
	}
	if s.Path[0] == "traits" {
		return printable.Line(s.String())
	}
	value, err := s.Value()
	if err != nil {
		return printable.Line(err.Error())
	}
	kind := ""
	switch value.(type) {
	case string:
		kind = "text"
	case bool:
		kind = "true or false"
	case json.Number:
		kind = "number"
	case []any:
		kind = "list"
	case map[string]any:
		kind = "object"
	case nil:
		kind = "null"
	}
	if SecretKey(s.Path[len(s.Path)-1]) {
		return printable.Line(fmt.Sprintf("%s = %s (%s)", key, Mask, kind))
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return printable.Line(err.Error())
	}
	return printable.Line(fmt.Sprintf("%s = %s (%s)", key, raw, kind))
}
