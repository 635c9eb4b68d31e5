package userdata

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type element struct {
	kind elementKind
	// text is the content of a string, or the text of a number as it is written in the document.
	text string
	// key is the name of the value in its object. keyAt is the position of that name.
	key      string
	keyAt    place
	at       place
	children []*element
}

type elementKind int

const (
	elementNull elementKind = iota
	elementObject
	elementArray
	elementString
	elementNumber
	elementBool
)

func (k elementKind) String() string {
	return [...]string{"null", "an object", "a list", "a string", "a number", "a boolean"}[k]
}

// place is a line and a column, in characters, counted from 1. The zero value means that it is unknown.
type place struct{ line, column int32 }

// elementPath is the path to an element in a document. Its steps are strings for keys and ints for list indexes.
type elementPath []any

// at returns the path with additional steps at its end. The result does not share memory with p.
func (p elementPath) at(more ...any) elementPath {
	longer := make(elementPath, 0, len(p)+len(more))
	return append(append(longer, p...), more...)
}

func (p elementPath) String() string {
	var b strings.Builder
	b.WriteByte('$')
	for _, step := range p {
		b.WriteByte('.')
		switch step := step.(type) {
		case string:
			b.WriteString(step)
		case int:
			b.WriteString(strconv.Itoa(step))
		default:
			fmt.Fprint(&b, step)
		}
	}
	return b.String()
}

// member returns the value of a key in an object, or nil. The last duplicate counts, as in encoding/json.
func (e *element) member(key string) *element {
	if e == nil || e.kind != elementObject {
		return nil
	}
	for _, child := range slices.Backward(e.children) {
		if child.key == key {
			return child
		}
	}
	return nil
}

func (e *element) down(keys ...string) *element {
	for _, key := range keys {
		e = e.member(key)
	}
	return e
}

func (e *element) items() []*element {
	if e == nil || e.kind != elementArray {
		return nil
	}
	return e.children
}

func (e *element) str(key string) string {
	if m := e.member(key); m != nil && m.kind == elementString {
		return m.text
	}
	return ""
}

func (e *element) isTrue(key string) bool { return e.member(key).is("true") }

func (e *element) isFalse(key string) bool { return e.member(key).is("false") }

func (e *element) is(value string) bool { return e != nil && e.kind == elementBool && e.text == value }

func (e *element) number(key string) (int, bool) {
	m := e.member(key)
	if m == nil || m.kind != elementNumber {
		return 0, false
	}
	n, err := strconv.Atoi(m.text)
	return n, err == nil
}

// follow resolves path as far as it exists. It returns the last element found and the number of steps that exist.
func (e *element) follow(path elementPath) (found *element, steps int) {
	found = e
	for i, step := range path {
		var next *element
		switch step := step.(type) {
		case string:
			next = found.member(step)
		case int:
			if items := found.items(); step >= 0 && step < len(items) {
				next = items[step]
			}
		}
		if next == nil {
			return found, i
		}
		found = next
	}
	return found, len(path)
}
