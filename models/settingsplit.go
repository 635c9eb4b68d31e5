package models

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
)

// SplitSettings parts a text of settings at blanks, but not between quotes, as a shell
// does. A value that begins like a JSON list or object goes on to its end, with its
// quotes: KEY=[{"name": "/dev/sda"}].
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
				return nil, fmt.Errorf("a quote (%c) is not closed", c)
			}
			word.WriteString(text[at+1 : at+1+end])
			has = true
			at += end + 2
		case jsonBegins(word.String(), text[at:]):
			value, err := leadingJSON(text[at:])
			if err != nil {
				return nil, fmt.Errorf("set %s: %w", Printable(strings.TrimRight(word.String(), "=+")), err)
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

// jsonBegins says that a word has come to its value, and that the value is meant to be a
// list or an object of JSON.
func jsonBegins(word, rest string) bool {
	return strings.IndexByte(word, '=') == len(word)-1 && word != "" && looksLikeJSON(rest)
}

// looksLikeJSON says that a text begins like a list or an object of JSON, and not like an
// IPv6 address in brackets.
func looksLikeJSON(text string) bool {
	if !strings.HasPrefix(text, "[") {
		return strings.HasPrefix(text, "{")
	}
	inside, _, closed := strings.Cut(text[1:], "]")
	_, err := netip.ParseAddr(inside)
	return !closed || err != nil
}

// leadingJSON is the JSON value that a text begins with, as it is written.
func leadingJSON(text string) (string, error) {
	var value json.RawMessage
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&value); err != nil {
		return "", notJSON(err)
	}
	return text[:decoder.InputOffset()], nil
}

// notJSON is the error of a value that begins like JSON and is none: most often a shell
// has taken its quotes away.
func notJSON(err error) error {
	return fmt.Errorf("the value begins like JSON and is not valid (%w): in a shell, write it in single quotes; a text is '\"TEXT\"'", err)
}

// Typed is the setting with its value as it is sent, and the value's type; what is a
// secret by its name is masked.
func (s Setting) Typed() string {
	key := strings.Join(s.Path, ".")
	if s.Op == SettingRemove {
		return Printable("remove " + key)
	}
	if s.Path[0] == "traits" {
		return Printable(s.String())
	}
	value, err := s.value()
	if err != nil {
		return Printable(err.Error())
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
		return Printable(fmt.Sprintf("%s = %s (%s)", key, Mask, kind))
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return Printable(err.Error())
	}
	return Printable(fmt.Sprintf("%s = %s (%s)", key, raw, kind))
}
