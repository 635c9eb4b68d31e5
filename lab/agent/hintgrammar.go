package agent

import (
	"strings"
	"unicode"
)

// The operators of oslo.utils' specs_matcher in the order in which its grammar
// tries them: "=" must not be found where "==" stands.
var unaryOps = []string{
	"==", "=", "!=", "<in>", ">=", "<=", ">", "<",
	"s==", "s!=", "s<=", "s<", "s>=", "s>",
}

const (
	opOr    = "<or>"
	opAllIn = "<all-in>"
	opRange = "<range-in>"
)

// tokens reads an expression as the grammar does: an operator and its values,
// or one word. What follows is not looked at. No tokens: it cannot be read.
func tokens(expression string) []string {
	s := scanner(expression)
	if t := s.disjunction(); t != nil {
		return t
	}
	if t, rest := s.operator(opAllIn); t {
		if words := rest.atoms(-1); len(words) > 0 {
			return append([]string{opAllIn}, words...)
		}
	}
	if t, rest := s.operator(opRange); t {
		if words := rest.atoms(4); len(words) == 4 {
			return append([]string{opRange}, words...)
		}
	}
	for _, op := range unaryOps {
		if t, rest := s.operator(op); t {
			if words := rest.atoms(1); len(words) == 1 {
				return append([]string{op}, words...)
			}
			break // the first operator that fits is the one
		}
	}
	return s.atoms(1)
}

// scanner is what is left to read.
type scanner string

func (s scanner) operator(op string) (bool, scanner) {
	rest, found := strings.CutPrefix(strings.TrimLeftFunc(string(s), unicode.IsSpace), op)
	return found, scanner(rest)
}

// disjunction reads <or> a <or> b.
func (s scanner) disjunction() []string {
	words := []string{opOr}
	for {
		found, rest := s.operator(opOr)
		if !found {
			break
		}
		word, after, ok := rest.atom()
		if !ok {
			break
		}
		words, s = append(words, word), after
	}
	if len(words) == 1 {
		return nil
	}
	return words
}

// atoms reads up to this many words, all of them if negative.
func (s scanner) atoms(count int) []string {
	var words []string
	for count < 0 || len(words) < count {
		word, rest, ok := s.atom()
		if !ok {
			break
		}
		words, s = append(words, word), rest
	}
	return words
}

// atom reads a word that does not begin as an operator does.
func (s scanner) atom() (string, scanner, bool) {
	text := strings.TrimLeftFunc(string(s), unicode.IsSpace)
	if text == "" {
		return "", "", false
	}
	for _, op := range unaryOps {
		if strings.HasPrefix(text, op) {
			return "", "", false
		}
	}
	for _, op := range []string{opAllIn, opOr, opRange} {
		if strings.HasPrefix(text, op) {
			return "", "", false
		}
	}
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		end = len(text)
	}
	return text[:end], scanner(text[end:]), true
}
