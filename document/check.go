package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"ironworks/spell"
)

// Checker collects the problems found in a file's values.
type Checker struct{ Problems []Problem }

// Problem records a problem with the value v.
func (c *Checker) Problem(v *Value, format string, args ...any) {
	c.Problems = append(c.Problems, Problem{Line: v.Line, Column: v.Column, Why: fmt.Sprintf(format, args...)})
}

// Unknown records that the key of m is unknown. The problem suggests the nearest known key or, if none is near, lists
// all known keys. of names the object that contains the key.
func (c *Checker) Unknown(m *Member, known []string, of string) {
	at := &Value{Line: m.Line, Column: m.Column}
	if nearest := spell.Nearest(m.Key, slices.Values(known)); nearest != "" {
		c.Problem(at, "unknown key %q of %s; did you mean %s?", m.Key, of, nearest)
		return
	}
	c.Problem(at, "unknown key %q of %s; known keys: %s", m.Key, of, strings.Join(known, ", "))
}

// UUID returns the UUID in v, or "" if v is null. It records a problem if the UUID is invalid.
func (c *Checker) UUID(v *Value) string {
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
