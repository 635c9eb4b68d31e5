// Package jsonschema implements the part of Python's jsonschema that Ironic uses, with the same messages. If a value
// violates a schema in several ways, it selects the same violation as jsonschema does, because Ironic's responses
// report only one. Values have the types that [hints.PythonRepr] accepts.
package jsonschema

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ironworks/models/hints"
)

// Schema is a JSON schema. Keywords whose field has the zero value are not checked.
type Schema struct {
	Types []string
	// Draft4 selects the definition of "integer" from draft 4 of JSON Schema, in which 1.0 is not an integer.
	Draft4    bool
	Enum      []string
	Pattern   string
	MinLength int
	MaxLength int
	Minimum   *int
	// Exclusive means that the minimum itself is not allowed.
	Exclusive  bool
	MinItems   int
	Format     *Format
	Properties map[string]*Schema
	Required   []string
	Closed     bool // other properties are not allowed
	// ClosedFirst means that Closed is checked before Required. This determines the message about an object that
	// violates both.
	ClosedFirst bool
	// Order lists the properties in the order in which they are checked; nil means alphabetical order. RequiredFirst
	// means that Required is checked before the properties.
	Order         []string
	RequiredFirst bool
	// Together maps a property to the other properties that must be present if it is present.
	Together map[string][]string
	Items    *Schema
	AnyOf    []*Schema
	OneOf    []*Schema
	Not      *Schema
	Text     string // the schema in Python's notation, for messages that quote it
}

// Format is a named text format. Valid reports whether text has this format.
type Format struct {
	Name  string
	Valid func(text string) bool
}

// Violation describes how a value violates a schema. It corresponds to Python's ValidationError.
type Violation struct {
	Message string
	// Path is the path from the checked value to Value. Its elements are strings for object keys and numbers for list
	// indexes.
	Path  []any
	Value any
	// Keyword is the keyword of Schema that Value violates. SchemaPath is the path to that keyword.
	Keyword    string
	Schema     *Schema
	SchemaPath []string

	context []*Violation
}

// Validate returns the most relevant violation, or nil if the value is valid. It selects the same violation as
// jsonschema.exceptions.best_match.
func (s *Schema) Validate(value any) *Violation {
	found := s.Violations(value)
	if len(found) == 0 {
		return nil
	}
	best := slices.MaxFunc(found, (*Violation).compare)
	for len(best.context) > 0 {
		smallest := slices.Clone(best.context)
		slices.SortStableFunc(smallest, (*Violation).compare)
		if len(smallest) > 1 && smallest[0].compare(smallest[1]) == 0 {
			return best
		}
		best = smallest[0]
	}
	return best
}

// Cause returns the most likely reason why no alternative of anyOf or oneOf matches. It returns "" for violations of
// other keywords.
func (v *Violation) Cause() string {
	text := ""
	for current := v; len(current.context) > 0; text = current.Message {
		current = slices.MaxFunc(current.context, (*Violation).compare)
		for len(current.context) > 0 {
			current = slices.MinFunc(current.context, (*Violation).compare)
		}
	}
	return text
}

// compare orders violations by relevance, as jsonschema does. Violations near the root are more relevant.
func (v *Violation) compare(other *Violation) int {
	if d := len(other.Path) - len(v.Path); d != 0 {
		return d
	}
	for i := range v.Path {
		if d := comparePath(v.Path[i], other.Path[i]); d != 0 {
			return d
		}
	}
	return v.weight() - other.weight()
}

// weight returns a higher number for more relevant violations. Violations of anyOf and oneOf weigh less because they
// say little. A violation also weighs less if the value has the schema's type.
func (v *Violation) weight() int {
	weight := 0
	if v.Keyword != "anyOf" && v.Keyword != "oneOf" {
		weight += 2
	}
	if !v.Schema.hasType(v.Value) {
		weight++
	}
	return weight
}

// Violations returns all ways in which the value violates the schema, in the same order as jsonschema's iter_errors.
func (s *Schema) Violations(value any) []*Violation {
	c := checker{schema: s, value: value}
	if len(s.Types) > 0 && !s.hasType(value) {
		c.fail("type", "%s is not of type %s", repr(value), strings.Join(reprs(s.Types), ", "))
	}
	if len(s.Enum) > 0 {
		if text, ok := value.(string); !ok || !slices.Contains(s.Enum, text) {
			c.fail("enum", "%s is not one of [%s]", repr(value), strings.Join(reprs(s.Enum), ", "))
		}
	}
	switch v := value.(type) {
	case string:
		c.checkText(v)
	case hints.PythonInt, float64:
		c.checkMinimum(v)
	case hints.PythonList:
		c.checkList(v)
	case *hints.PythonDict:
		c.checkObject(v)
	}
	c.checkChoices()
	return c.found
}

func (c *checker) checkText(v string) {
	s, length := c.schema, utf8.RuneCountInString(v)
	if length < s.MinLength {
		c.fail("minLength", "%s should be non-empty", repr(v))
	}
	if s.MaxLength > 0 && length > s.MaxLength {
		c.fail("maxLength", "%s is too long", repr(v))
	}
	if s.Pattern != "" && !pythonRule(s.Pattern).MatchString(v) {
		c.fail("pattern", "%s does not match %s", repr(v), repr(s.Pattern))
	}
	if s.Format != nil && !s.Format.Valid(v) {
		c.fail("format", "%s is not a %s", repr(v), repr(s.Format.Name))
	}
}

// pythonRule compiles a Python regular expression, in which \w matches word characters of all scripts.
func pythonRule(pattern string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(pattern, `\w`, `\p{L}\p{N}_`))
}

func (c *checker) checkMinimum(v any) {
	if c.schema.Minimum == nil {
		return
	}
	least := *c.schema.Minimum
	switch n, ok := hints.PythonFloat(v); {
	case !ok:
	case c.schema.Exclusive && n <= float64(least):
		c.fail("minimum", "%s is less than or equal to the minimum of %d", repr(v), least)
	case n < float64(least):
		c.fail("minimum", "%s is less than the minimum of %d", repr(v), least)
	}
}

func (c *checker) checkList(v hints.PythonList) {
	switch least := c.schema.MinItems; {
	case len(v) >= least:
	case least == 1:
		c.fail("minItems", "%s should be non-empty", repr(v))
	default:
		c.fail("minItems", "%s is too short", repr(v))
	}
	if c.schema.Items == nil {
		return
	}
	for i := range v {
		c.below(i, c.schema.Items.Violations(v[i]), "items")
	}
}
