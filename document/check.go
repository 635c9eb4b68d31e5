package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"ironworks/spell"
)

// Checker collects the problems of a file's values.
type Checker struct{ Problems []Problem }

// Problem records a problem of a value.
func (c *Checker) Problem(v *Value, format string, args ...any) {
	c.Problems = append(c.Problems, Problem{Line: v.Line, Column: v.Column, Why: fmt.Sprintf(format, args...)})
}

// Unknown reports a key that is not known, with the nearest one that is.
func (c *Checker) Unknown(m *Member, known []string, of string) {
	at := &Value{Line: m.Line, Column: m.Column}
	if nearest := spell.Nearest(m.Key, slices.Values(known)); nearest != "" {
		c.Problem(at, "unknown key %q of %s; did you mean %s?", m.Key, of, nearest)
		return
	}
	c.Problem(at, "unknown key %q of %s; known keys: %s", m.Key, of, strings.Join(known, ", "))
}

// UUID returns the requested UUID, "" for null, and records a problem for an invalid UUID.
func (c *Checker) UUID(v *Value) string {
	if v.Kind == Null {
		return ""
	}
	if parsed, err := uuid.Parse(v.Literal); err != nil || v.Kind != Text || len(v.Literal) != len(parsed.String()) {
		c.Problem(v, "uuid %q is not a UUID; leave it out, and Ironic chooses one", v.Literal)
	}
	return v.Literal
}

// Err is an *[Error] with the problems, nil without any.
func (c *Checker) Err(file string) error {
	if len(c.Problems) == 0 {
		return nil
	}
	return &Error{File: file, Problems: c.Problems}
}
