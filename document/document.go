// Package document reads YAML and JSON files written by people or by other programs. The resulting values have line
// numbers, and aliases are resolved. Duplicate keys are errors, and so are numbers that JSON cannot represent. The
// package does no I/O.
package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"ironworks/printable"
	"ironworks/spell"
)

// MaxSize is the maximum size of a file, in bytes.
const MaxSize = 16 << 20

const (
	// maxValues limits the number of values in a file and thus memory. It allows 20 000 nodes with 100 values each.
	maxValues = 2_000_000
	// maxDepth is the maximum nesting depth. Ironic accepts 25 levels per request.
	maxDepth = 32
	// maxProblems is the maximum number of problems reported.
	maxProblems = 20
)

// Problem is an error in a file.
type Problem struct {
	// Line counts from 1; 0 means the whole file. Column counts from 1; 0 means the whole line.
	Line, Column int
	Why          string
}

// Problems lists the problems found in a file. [Problems.Add] limits their number.
type Problems []Problem

// Add adds a problem, unless the list already has the maximum number of problems. line is 0 if the problem concerns the
// whole file.
func (p *Problems) Add(line int, format string, args ...any) {
	if len(*p) < maxProblems {
		*p = append(*p, Problem{Line: line, Why: fmt.Sprintf(format, args...)})
	}
}

// Error lists the problems found in a file.
type Error struct {
	File     string
	Problems Problems
}

// Error returns one line per problem, in the form FILE:LINE: why or FILE:LINE:COLUMN: why. If the problem concerns
// the whole file, the line has the form FILE: why.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		where := printable.Line(e.File)
		if p.Line > 0 {
			where = fmt.Sprintf("%s:%d", where, p.Line)
		}
		if p.Line > 0 && p.Column > 0 {
			where = fmt.Sprintf("%s:%d", where, p.Column)
		}
		lines[i] = where + ": " + printable.Line(p.Why)
	}
	return strings.Join(lines, "\n")
}

// Fail returns an *[Error] with one problem.
func Fail(file string, line int, format string, args ...any) error {
	return &Error{File: file, Problems: []Problem{{Line: line, Why: fmt.Sprintf(format, args...)}}}
}

// UTF8 returns the text of a file without its byte order mark. It rejects files that are too large or not UTF-8 text.
func UTF8(data []byte, file string) ([]byte, error) {
	if len(data) > MaxSize {
		return nil, Fail(file, 0, "larger than %d MiB; split the file", MaxSize>>20)
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, Fail(file, 0, "UTF-16; save the file as UTF-8")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 || r == 0 {
			line := 1 + bytes.Count(data[:i], []byte("\n"))
			if r == 0 {
				return nil, Fail(file, line, "a NUL byte: this is not a text file")
			}
			return nil, Fail(file, line, `byte 0x%02x is not UTF-8; save the file as UTF-8`, data[i])
		}
		i += size
	}
	return data, nil
}

// Parse returns the documents in a YAML or JSON file, except empty ones. Its error is an *[Error].
func Parse(data []byte, file string) ([]Value, error) {
	data, err := UTF8(data, file)
	if err != nil {
		return nil, err
	}
	if about := estimate(data); about > maxValues {
		return nil, tooMany(file)
	}
	if start := bytes.TrimSpace(data); len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		value, problems, syntax := parseJSON(data)
		if problems == nil {
			return []Value{value}, nil
		}
		// The text may be YAML, whose flow mappings look like JSON.
		if syntax && !strings.HasSuffix(strings.ToLower(file), ".json") {
			if values, err := parseYAML(data, file); err == nil {
				return values, nil
			}
		}
		return nil, &Error{File: file, Problems: problems}
	}
	return parseYAML(data, file)
}

func tooMany(file string) error {
	return Fail(file, 0, "more than %d values; split the file", maxValues)
}

// estimate returns an upper bound on the number of values in data, which is checked before data is parsed.
func estimate(data []byte) int {
	n := bytes.Count(data, []byte("- "))
	for _, b := range data {
		switch b {
		case '\n', ',', '[', '{':
			n++
		}
	}
	return n
}

// Kind is the type of a value.
type Kind int

// The kinds correspond to the types of JSON.
const (
	Null Kind = iota
	Bool
	Number
	Text
	List
	Object
)

// String returns the name of the type, with an article if it needs one.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// Value is a JSON value with its position.
type Value struct {
	Kind Kind
	Line int
	// Column counts from 1 in YAML, and is 0 in JSON.
	Column int
	// Literal is a scalar as written in the file, without quotes and escapes.
	Literal string
	// Items holds the items of a list.
	Items []Value
	// Members holds the members of an object, in order.
	Members []Member
	// scalar holds a bool, a float64, or a json.Number if a float64 cannot represent the number exactly.
	scalar any
}

// Member is a key-value pair of an object.
type Member struct {
	Key          string
	Line, Column int
	Value        Value
}

// Get returns the value of the member with the given key, or a null value if there is no such member.
func (v Value) Get(key string) Value {
	i := slices.IndexFunc(v.Members, func(m Member) bool { return m.Key == key })
	if i < 0 {
		return Value{Line: v.Line}
	}
	return v.Members[i].Value
}

// Has reports whether v is an object that has the given key.
func (v Value) Has(key string) bool {
	return slices.ContainsFunc(v.Members, func(m Member) bool { return m.Key == key })
}

// Scalar returns the text of a string, a number or a boolean. ok is false for all other values.
func (v Value) Scalar() (text string, ok bool) {
	switch v.Kind {
	case Text, Number, Bool:
		return v.Literal, true
	case Null, List, Object:
	}
	return "", false
}

// True reports whether the value is the boolean true.
func (v Value) True() bool { return v.scalar == true }

// Any converts the value to the types that encoding/json uses.
func (v Value) Any() any {
	switch v.Kind {
	case Text:
		return v.Literal
	case List:
		list := make([]any, len(v.Items))
		for i, item := range v.Items {
			list[i] = item.Any()
		}
		return list
	case Object:
		object := make(map[string]any, len(v.Members))
		for _, m := range v.Members {
			object[m.Key] = m.Value.Any()
		}
		return object
	case Null, Bool, Number:
	}
	return v.scalar
}

// number converts a number to a float64 or, if it is an integer that a float64 cannot represent, to a json.Number. ok
// is false if JSON cannot represent the number.
func number(literal string) (value any, ok bool) {
	n := json.Number(literal)
	f, err := n.Float64()
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, false
	}
	if i, err := n.Int64(); err == nil && int64(f) != i {
		return n, true
	}
	return f, true
}

// Checker collects the problems found in a file's values.
type Checker struct{ Problems []Problem }

// Problem records a problem with the value v.
func (c *Checker) Problem(v Value, format string, args ...any) {
	c.Problems = append(c.Problems, Problem{Line: v.Line, Column: v.Column, Why: fmt.Sprintf(format, args...)})
}

// Unknown records that the key of m is unknown. The problem suggests the nearest known key or, if none is near, lists
// all known keys. of names the object that contains the key.
func (c *Checker) Unknown(m Member, known []string, of string) {
	at := Value{Line: m.Line, Column: m.Column}
	if nearest := spell.Nearest(m.Key, slices.Values(known)); nearest != "" {
		c.Problem(at, "unknown key %q of %s; did you mean %s?", m.Key, of, nearest)
		return
	}
	c.Problem(at, "unknown key %q of %s; known keys: %s", m.Key, of, strings.Join(known, ", "))
}

// UUID returns the UUID in v, or "" if v is null. It records a problem if the UUID is invalid.
func (c *Checker) UUID(v Value) string {
	if v.Kind == Null {
		return ""
	}
	if parsed, err := uuid.Parse(v.Literal); err != nil || v.Kind != Text || len(v.Literal) != len(parsed.String()) {
		c.Problem(v, "uuid %q is not a UUID; leave it out, and Ironic chooses one", v.Literal)
	}
	return v.Literal
}

// Err returns an *[Error] with all problems, or nil if there are none.
func (c *Checker) Err(file string) error {
	if len(c.Problems) == 0 {
		return nil
	}
	return &Error{File: file, Problems: c.Problems}
}
