package raid

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ironworks/models/hints"
)

// schema is a JSON schema, with the keywords that Ironic's RAID schema uses (draft 4). The order of keywords and
// properties decides which of several errors Ironic reports.
type schema struct {
	kind       string // object, array, string, integer, boolean
	properties []property
	required   []string
	closed     bool // no additional properties
	items      *schema
	least      int      // minItems
	words      []string // enum
	minimum    bool     // 0 is the minimum
	exclusive  bool     // more than 0
	anyOf      []schema
	needs      [2]string // the first property depends on the second
}

type property struct {
	name string
	schema
}

// violation is a ValidationError of Python's jsonschema.
type violation struct {
	path    []any // of the value, below the parent: texts and numbers
	keyword string
	text    string
	typed   bool // the value has the schema's type
	context []violation
}

// check returns the errors of a value, in the order of jsonschema's iter_errors.
func (s *schema) check(v any) []violation {
	var all []violation
	fail := func(keyword, format string, args ...any) {
		all = append(all, violation{keyword: keyword, text: fmt.Sprintf(format, args...), typed: s.kind != "" && isKind(v, s.kind)})
	}
	if s.kind != "" && !isKind(v, s.kind) {
		fail("type", "%s is not of type %s", hints.PythonRepr(v), hints.PythonRepr(s.kind))
	}
	switch v := v.(type) {
	case *hints.PythonDict:
		all = append(all, s.checkProperties(v)...)
		s.checkKeys(v, fail)
	case hints.PythonList:
		if s.items != nil {
			for i := range v {
				all = append(all, below(i, s.items.check(v[i]))...)
			}
		}
		if len(v) < s.least {
			ending := "is too short"
			if s.least == 1 {
				ending = "should be non-empty"
			}
			fail("minItems", "%s %s", hints.PythonRepr(v), ending)
		}
	}
	if s.words != nil && !slices.ContainsFunc(s.words, func(w string) bool { return w == v }) {
		fail("enum", "%s is not one of %s", hints.PythonRepr(v), reprWords(s.words))
	}
	s.checkMinimum(v, fail)
	if problems, wrong := s.checkAny(v); wrong {
		fail("anyOf", "%s is not valid under any of the given schemas", hints.PythonRepr(v))
		all[len(all)-1].context = problems
	}
	return all
}

func (s *schema) checkProperties(v *hints.PythonDict) []violation {
	var all []violation
	for i := range s.properties {
		if p := &s.properties[i]; v.Has(p.name) {
			all = append(all, below(p.name, p.check(v.Get(p.name)))...)
		}
	}
	return all
}

func (s *schema) checkKeys(v *hints.PythonDict, fail func(keyword, format string, args ...any)) {
	for _, name := range s.required {
		if !v.Has(name) {
			fail("required", "%s is a required property", hints.PythonRepr(name))
		}
	}
	extra := slices.DeleteFunc(slices.Sorted(slices.Values(v.Keys())), func(key string) bool {
		return slices.ContainsFunc(s.properties, func(p property) bool { return p.name == key })
	})
	if s.closed && len(extra) > 0 {
		verb := "was"
		if len(extra) > 1 {
			verb = "were"
		}
		for i := range extra {
			extra[i] = hints.PythonRepr(extra[i])
		}
		fail("additionalProperties", "Additional properties are not allowed (%s %s unexpected)", strings.Join(extra, ", "), verb)
	}
	if v.Has(s.needs[0]) && !v.Has(s.needs[1]) {
		fail("dependencies", "%s is a dependency of %s", hints.PythonRepr(s.needs[1]), hints.PythonRepr(s.needs[0]))
	}
}

func (s *schema) checkMinimum(v any, fail func(keyword, format string, args ...any)) {
	if _, isBool := v.(bool); isBool || !s.minimum {
		return
	}
	switch n, isNumber := hints.PythonFloat(v); {
	case !isNumber:
	case s.exclusive && n <= 0:
		fail("minimum", "%s is less than or equal to the minimum of 0", hints.PythonRepr(v))
	case n < 0:
		fail("minimum", "%s is less than the minimum of 0", hints.PythonRepr(v))
	}
}

// checkAny returns the errors of all alternatives, if none applies.
func (s *schema) checkAny(v any) (problems []violation, wrong bool) {
	for i := range s.anyOf {
		found := s.anyOf[i].check(v)
		if len(found) == 0 {
			return nil, false
		}
		problems = append(problems, found...)
	}
	return problems, len(s.anyOf) > 0
}

// below adds a step to the path of errors.
func below(step any, all []violation) []violation {
	for i := range all {
		all[i].path = append([]any{step}, all[i].path...)
	}
	return all
}

// isKind reports whether a value has a type of draft 4, in which 1.0 is not an integer.
func isKind(v any, kind string) bool {
	name := map[string]string{"object": "dict", "array": "list", "string": "str", "integer": "int", "boolean": "bool"}[kind]
	return hints.PythonTypeName(v) == name
}

func reprWords(words []string) string {
	list := make(hints.PythonList, len(words))
	for i := range words {
		list[i] = words[i]
	}
	return hints.PythonRepr(list)
}

// relevance compares errors like jsonschema's key function of that name: an error further up is the more relevant one.
func (a *violation) relevance(b *violation) int {
	return cmp.Or(
		cmp.Compare(len(b.path), len(a.path)),
		slices.CompareFunc(a.path, b.path, compareSteps),
		compareBools(a.keyword != "anyOf", b.keyword != "anyOf"),
		compareBools(!a.typed, !b.typed),
	)
}

func compareSteps(a, b any) int {
	if x, isNumber := a.(int); isNumber {
		if y, isNumber := b.(int); isNumber {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// bestMatch returns the error that jsonschema.validate raises (exceptions.best_match).
func bestMatch(all []violation) *violation {
	best := &all[0]
	for i := range all {
		if all[i].relevance(best) > 0 {
			best = &all[i]
		}
	}
	for len(best.context) > 0 {
		inner := slices.Clone(best.context)
		slices.SortStableFunc(inner, func(a, b violation) int { return a.relevance(&b) })
		if len(inner) > 1 && inner[0].relevance(&inner[1]) == 0 {
			return best
		}
		best = &inner[0]
	}
	return best
}
