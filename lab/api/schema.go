package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ironworks/lab/db"
	"ironworks/python"
)

// schema is the subset of JSON Schema that Ironic's API uses. Zero values are not checked.
type schema struct {
	types      []string
	enum       []string
	pattern    string
	minLength  int
	maxLength  int
	minimum    *int
	minItems   int
	format     string
	properties map[string]*schema
	required   []string
	closed     bool // no other properties
	// closedFirst is the order of two checks, which determines the message about an object that
	// violates both.
	closedFirst bool
	// order is the order of properties that are not checked alphabetically, and requiredFirst
	// checks required before all of them. It matters only to checkWhole.
	order         []string
	requiredFirst bool
	// together are properties that require others.
	together map[string][]string
	items    *schema
	anyOf    []*schema
	oneOf    []*schema
	not      *schema
	text     string // as Python shows it, for oneOf and not
}

// violation is an error of a value.
type violation struct {
	path    []any // relative to the checked value
	message string
	weak    bool // anyOf and oneOf are less relevant
	rightly bool // the type of the value is right
	context []*violation
}

// validate returns the most relevant violation, with jsonschema's message.
func (s *schema) validate(value any) *violation {
	found := s.violations(value)
	if len(found) == 0 {
		return nil
	}
	best := slices.MaxFunc(found, func(a, b *violation) int { return a.compare(b) })
	for len(best.context) > 0 {
		smallest := slices.Clone(best.context)
		slices.SortStableFunc(smallest, func(a, b *violation) int { return a.compare(b) })
		if len(smallest) > 1 && smallest[0].compare(smallest[1]) == 0 {
			return best
		}
		best = smallest[0]
	}
	return best
}

// cause returns the most likely cause of a violation with alternatives.
func (v *violation) cause() string {
	text := ""
	for current := v; len(current.context) > 0; text = current.message {
		current = slices.MaxFunc(current.context, func(a, b *violation) int { return a.compare(b) })
		for len(current.context) > 0 {
			smallest := slices.MinFunc(current.context, func(a, b *violation) int { return a.compare(b) })
			current = smallest
		}
	}
	return text
}

// checkSchema is a check of an argument against a schema.
func checkSchema(s *schema) check {
	return func(name string, value any) (any, error) {
		if value == nil {
			return nil, nil //nolint:nilnil // null is a value
		}
		if v := s.validate(value); v != nil {
			return nil, invalidValue("Schema error for %s: %s", name, v.sentence())
		}
		return value, nil
	}
}

// checkWhole checks a whole request. Unlike checkSchema, it reports the first violation.
func (s *schema) checkWhole(value any) error {
	if found := s.violations(value); len(found) > 0 {
		return invalidValue("Schema error: %s", found[0].sentence())
	}
	return nil
}

func (v *violation) sentence() string {
	if cause := v.cause(); cause != "" {
		return v.message + ". Possible root cause: " + cause
	}
	return v.message
}

// compare is jsonschema's relevance: violations near the root are more relevant.
func (v *violation) compare(other *violation) int {
	if d := len(other.path) - len(v.path); d != 0 {
		return d
	}
	for i := range v.path {
		if d := comparePath(v.path[i], other.path[i]); d != 0 {
			return d
		}
	}
	return compareBool(!v.weak, !other.weak)*2 + compareBool(!v.rightly, !other.rightly)
}

func comparePath(a, b any) int {
	if x, ok := a.(int); ok {
		if y, ok := b.(int); ok {
			return x - y
		}
	}
	return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

func (s *schema) violations(value any) []*violation {
	var found []*violation
	fail := func(format string, args ...any) {
		found = append(found, &violation{message: fmt.Sprintf(format, args...), rightly: s.hasType(value)})
	}
	if len(s.types) > 0 && !s.hasType(value) {
		quoted := make([]string, len(s.types))
		for i := range s.types {
			quoted[i] = python.Repr(s.types[i])
		}
		fail("%s is not of type %s", python.Repr(value), strings.Join(quoted, ", "))
	}
	if len(s.enum) > 0 {
		if text, ok := value.(string); !ok || !slices.Contains(s.enum, text) {
			fail("%s is not one of %s", python.Repr(value), python.Repr(s.enum))
		}
	}
	switch v := value.(type) {
	case string:
		s.checkString(v, fail)
	case json.Number:
		if f, err := v.Float64(); err == nil && s.minimum != nil && f < float64(*s.minimum) {
			fail("%s is less than the minimum of %d", v, *s.minimum)
		}
	case []any:
		if len(v) < s.minItems {
			fail("%s should be non-empty", python.Repr(v))
		}
		if s.items != nil {
			for i := range v {
				found = append(found, prefixed(i, s.items.violations(v[i]))...)
			}
		}
	case []string:
		if s.items != nil {
			for i := range v {
				found = append(found, prefixed(i, s.items.violations(v[i]))...)
			}
		}
	case db.Dict:
		found = append(found, s.objectViolations(v)...)
	case map[string]any:
		found = append(found, s.objectViolations(v)...)
	}
	return append(found, s.choiceViolations(value)...)
}

func (s *schema) checkString(v string, fail func(string, ...any)) {
	length := utf8.RuneCountInString(v)
	if length < s.minLength {
		fail("%s should be non-empty", python.Repr(v))
	}
	if s.maxLength > 0 && length > s.maxLength {
		fail("%s is too long", python.Repr(v))
	}
	if s.pattern != "" && !pythonRule(s.pattern).MatchString(v) {
		fail("%s does not match %s", python.Repr(v), python.Repr(s.pattern))
	}
	wrong := false
	switch s.format {
	case "uuid":
		wrong = !isUUID(v)
	case "mac-address":
		_, right := normalMAC(v)
		wrong = !right
	}
	if wrong {
		fail("%s is not a %s", python.Repr(v), python.Repr(s.format))
	}
}

// pythonRule compiles a Python regular expression, whose word characters are those of all scripts.
func pythonRule(pattern string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(pattern, `\w`, `\p{L}\p{N}_`))
}

func (s *schema) objectViolations(v map[string]any) []*violation {
	var found []*violation
	fail := func(format string, args ...any) {
		found = append(found, &violation{message: fmt.Sprintf(format, args...), rightly: s.hasType(v)})
	}
	inside := func() {
		for _, name := range s.propertyOrder() {
			if inner, ok := v[name]; ok && s.properties[name] != nil {
				found = append(found, prefixed(name, s.properties[name].violations(inner))...)
			}
		}
	}
	needed := func() {
		for _, name := range s.required {
			if _, ok := v[name]; !ok {
				fail("%s is a required property", python.Repr(name))
			}
		}
	}
	others := func() {
		var extras []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if s.closed && s.properties[name] == nil {
				extras = append(extras, python.Repr(name))
			}
		}
		verb := "were"
		if len(extras) == 1 {
			verb = "was"
		}
		if len(extras) > 0 {
			fail("Additional properties are not allowed (%s %s unexpected)", strings.Join(extras, ", "), verb)
		}
	}
	checks := []func(){inside, needed, others}
	switch {
	case s.closedFirst:
		checks = []func(){inside, others, needed}
	case s.requiredFirst:
		checks = []func(){needed, inside, others}
	}
	for _, check := range checks {
		check()
	}
	for _, name := range slices.Sorted(maps.Keys(s.together)) {
		if _, ok := v[name]; !ok {
			continue
		}
		for _, other := range s.together[name] {
			if _, ok := v[other]; !ok {
				fail("%s is a dependency of %s", python.Repr(other), python.Repr(name))
			}
		}
	}
	return found
}

func (s *schema) propertyOrder() []string {
	if s.order != nil {
		return s.order
	}
	return slices.Sorted(maps.Keys(s.properties))
}

func (s *schema) choiceViolations(value any) []*violation {
	choose := func(choices []*schema) (fitting []*schema, context []*violation) {
		for _, choice := range choices {
			if wrong := choice.violations(value); len(wrong) > 0 {
				context = append(context, wrong...)
			} else {
				fitting = append(fitting, choice)
			}
		}
		return fitting, context
	}
	var found []*violation
	for _, choices := range [][]*schema{s.anyOf, s.oneOf} {
		fitting, context := choose(choices)
		if len(choices) > 0 && len(fitting) == 0 {
			found = append(found, &violation{
				message: python.Repr(value) + " is not valid under any of the given schemas",
				weak:    true, rightly: len(s.types) > 0 && s.hasType(value), context: context,
			})
		}
	}
	if s.not != nil && len(s.not.violations(value)) == 0 {
		found = append(found, &violation{message: python.Repr(value) + " should not be valid under " + s.not.text})
	}
	if fitting, _ := choose(s.oneOf); len(fitting) > 1 {
		// The first match is named last.
		texts := make([]string, 0, len(fitting))
		for _, choice := range append(fitting[1:], fitting[0]) {
			texts = append(texts, choice.text)
		}
		found = append(found, &violation{
			message: python.Repr(value) + " is valid under each of " + strings.Join(texts, ", "),
			weak:    true, rightly: len(s.types) > 0 && s.hasType(value),
		})
	}
	return found
}

// prefixed prepends a step to the paths of violations.
func prefixed(step any, found []*violation) []*violation {
	for _, v := range found {
		v.path = append([]any{step}, v.path...)
	}
	return found
}

// pythonTypes are Python's types by those of JSON Schema.
var pythonTypes = map[string]string{
	"null": "NoneType", "string": "str", "object": "dict", "array": "list", "boolean": "bool", "integer": "int",
}

func (s *schema) hasType(value any) bool {
	return slices.ContainsFunc(s.types, func(name string) bool {
		return pythonTypes[name] == pythonType(value) || name == "integer" && isWhole(value)
	})
}

// isWhole reports whether a value is a whole number in any notation: 5.0 is an integer to jsonschema.
func isWhole(value any) bool {
	number, _ := value.(json.Number)
	f, err := number.Float64()
	return err == nil && f == math.Trunc(f) && !math.IsInf(f, 0)
}
