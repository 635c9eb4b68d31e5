package userdata

import (
	"fmt"
	"strconv"
	"strings"
)

// element is a value of a JSON or YAML document, with its position.
type element struct {
	kind elementKind
	// text is the string, or the number as written.
	text string
	// key is the value's name in its object, and keyAt the position of the name.
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
	switch k {
	case elementNull:
		return "null"
	case elementObject:
		return "an object"
	case elementArray:
		return "a list"
	case elementString:
		return "a string"
	case elementNumber:
		return "a number"
	case elementBool:
		return "a boolean"
	}
	return "nothing"
}

// place is a position in a document. Lines and columns count from 1, columns in characters. The zero value means no
// position.
type place struct{ line, column int32 }

// elementPath addresses an element: strings are keys, ints are list indexes.
type elementPath []any

// at returns the path extended by more, in new memory.
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

// member returns the value of a key, or nil. As in encoding/json, the last duplicate wins.
func (e *element) member(key string) *element {
	if e == nil || e.kind != elementObject {
		return nil
	}
	for i := len(e.children) - 1; i >= 0; i-- {
		if e.children[i].key == key {
			return e.children[i]
		}
	}
	return nil
}

// down follows keys.
func (e *element) down(keys ...string) *element {
	for _, key := range keys {
		e = e.member(key)
	}
	return e
}

// items returns the values of a list.
func (e *element) items() []*element {
	if e == nil || e.kind != elementArray {
		return nil
	}
	return e.children
}

// str returns the string at key, or "".
func (e *element) str(key string) string {
	if m := e.member(key); m != nil && m.kind == elementString {
		return m.text
	}
	return ""
}

// isTrue and isFalse test the boolean at key.
func (e *element) isTrue(key string) bool {
	m := e.member(key)
	return m != nil && m.kind == elementBool && m.text == "true"
}

func (e *element) isFalse(key string) bool {
	m := e.member(key)
	return m != nil && m.kind == elementBool && m.text == "false"
}

// number returns the integer at key.
func (e *element) number(key string) (int, bool) {
	m := e.member(key)
	if m == nil || m.kind != elementNumber {
		return 0, false
	}
	n, err := strconv.Atoi(m.text)
	return n, err == nil
}

// follow returns the element at the longest existing prefix of path, and the length of the
// prefix.
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

// elements returns the values of an object or a list.
func (e *element) elements() []*element {
	if e == nil {
		return nil
	}
	return e.children
}
