package jsonschema

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ironworks/models/hints"
)

type checker struct {
	schema *Schema
	value  any
	found  []*Violation
}

func (c *checker) fail(keyword, format string, args ...any) {
	c.found = append(c.found, &Violation{Message: fmt.Sprintf(format, args...), Keyword: keyword, Value: c.value, Schema: c.schema})
}

// below adds violations found in a part of the value. step is the key or index that leads to this part.
func (c *checker) below(step any, found []*Violation, schemaPath ...string) {
	for _, v := range found {
		v.Path = append([]any{step}, v.Path...)
		v.SchemaPath = append(slices.Clone(schemaPath), v.SchemaPath...)
	}
	c.found = append(c.found, found...)
}

func (c *checker) checkObject(v *hints.PythonDict) {
	type check = func(*hints.PythonDict)
	checks := []check{c.checkProperties, c.checkRequired, c.checkOthers}
	switch {
	case c.schema.ClosedFirst:
		checks = []check{c.checkProperties, c.checkOthers, c.checkRequired}
	case c.schema.RequiredFirst:
		checks = []check{c.checkRequired, c.checkProperties, c.checkOthers}
	}
	for _, run := range checks {
		run(v)
	}
	for _, name := range slices.Sorted(maps.Keys(c.schema.Together)) {
		for _, other := range c.schema.Together[name] {
			if v.Has(name) && !v.Has(other) {
				c.fail("dependencies", "%s is a dependency of %s", repr(other), repr(name))
			}
		}
	}
}

func (c *checker) checkProperties(v *hints.PythonDict) {
	order := c.schema.Order
	if order == nil {
		order = slices.Sorted(maps.Keys(c.schema.Properties))
	}
	for _, name := range order {
		if s := c.schema.Properties[name]; s != nil && v.Has(name) {
			c.below(name, s.Violations(v.Get(name)), "properties", name)
		}
	}
}

func (c *checker) checkRequired(v *hints.PythonDict) {
	for _, name := range c.schema.Required {
		if !v.Has(name) {
			c.fail("required", "%s is a required property", repr(name))
		}
	}
}

func (c *checker) checkOthers(v *hints.PythonDict) {
	if !c.schema.Closed {
		return
	}
	extra := slices.DeleteFunc(v.Keys(), func(name string) bool { return c.schema.Properties[name] != nil })
	slices.Sort(extra)
	verb := "were"
	switch len(extra) {
	case 0:
		return
	case 1:
		verb = "was"
	}
	c.fail("additionalProperties", "Additional properties are not allowed (%s %s unexpected)", strings.Join(reprs(extra), ", "), verb)
}

func (c *checker) checkChoices() {
	s := c.schema
	for _, k := range []struct {
		keyword string
		choices []*Schema
	}{{"anyOf", s.AnyOf}, {"oneOf", s.OneOf}} {
		if fitting, context := choose(k.choices, c.value); len(k.choices) > 0 && len(fitting) == 0 {
			c.fail(k.keyword, "%s is not valid under any of the given schemas", repr(c.value))
			c.found[len(c.found)-1].context = context
		}
	}
	if s.Not != nil && len(s.Not.Violations(c.value)) == 0 {
		c.fail("not", "%s should not be valid under %s", repr(c.value), s.Not.Text)
	}
	if fitting, _ := choose(s.OneOf, c.value); len(fitting) > 1 {
		// Python's jsonschema names the first matching schema last.
		texts := make([]string, 0, len(fitting))
		for _, choice := range append(fitting[1:], fitting[0]) {
			texts = append(texts, choice.Text)
		}
		c.fail("oneOf", "%s is valid under each of %s", repr(c.value), strings.Join(texts, ", "))
	}
}

func choose(choices []*Schema, value any) (fitting []*Schema, context []*Violation) {
	for _, choice := range choices {
		if wrong := choice.Violations(value); len(wrong) > 0 {
			context = append(context, wrong...)
		} else {
			fitting = append(fitting, choice)
		}
	}
	return fitting, context
}

// hasType reports whether the value has one of the schema's types. It returns false if the schema has no types.
func (s *Schema) hasType(value any) bool {
	return slices.ContainsFunc(s.Types, func(name string) bool {
		if f, isFloat := value.(float64); isFloat && name == "integer" {
			return !s.Draft4 && f == math.Trunc(f) && !math.IsInf(f, 0)
		}
		return cmp.Or(pythonTypes[name], name) == hints.PythonTypeName(value)
	})
}

var pythonTypes = map[string]string{
	"null": "NoneType", "string": "str", "object": "dict", "array": "list", "boolean": "bool", "integer": "int",
}

func comparePath(a, b any) int {
	if x, ok := a.(int); ok {
		if y, ok := b.(int); ok {
			return cmp.Compare(x, y)
		}
	}
	return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

func repr(v any) string { return hints.PythonRepr(v) }

func reprs(texts []string) []string {
	quoted := make([]string, len(texts))
	for i := range texts {
		quoted[i] = repr(texts[i])
	}
	return quoted
}
