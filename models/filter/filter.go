// Package filter parses the filters with which operators select nodes, events and log lines, and applies them.
package filter

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// Filter is a parsed filter. It consists of alternatives; it matches if all terms of at least one alternative match.
// Commands and screens share the grammar:
//
//	text              name, uuid, state, class, driver, instance or owner contains text
//	key:value         the field contains value, regardless of case
//	key:=value        the field is exactly value
//	key:a,b           the field contains a or b
//	key:              the field is empty
//	age:>10m          a comparison, for age, cpus, disks and ram: = != > >= < <=
//	field:path=value  a comparison of any field of the API; path is dotted, such as extra.rack
//	~text             the name contains text's letters in this order
//	!term             the term does not match
//	@name             the saved filter matches
//	a b | c           a and b, or c
//	"two words"       quotes keep blanks (and colons) together
//
// The key state also accepts classes of states (failed, busy, stable, wait, hold), and - and _ may be used instead of
// a blank: state:deploy-failed.
type Filter struct {
	any  [][]term
	text string
	now  time.Time
}

type term struct {
	key    string // "" for plain text
	values []string
	exact  bool
	fuzzy  bool
	not    bool
	// test decides whether the node matches, unless it is nil. If it is set, key and values are ignored. Comparisons,
	// paths and saved filters use it.
	test func(r *models.Row, now time.Time) models.Answer
	// fields lists the API fields that test needs in addition to [models.ListFields]. hardware means that test may
	// also need the inventory.
	fields   []string
	hardware bool
	// levels holds the values of the level key of a log filter.
	levels []models.LogLevel
}

// terms is a filter for events or log lines, which has no alternatives.
type terms struct {
	all  []term
	text string
}

// String returns the line that was parsed.
func (f terms) String() string { return f.text }

// IsZero reports whether the filter is empty and therefore matches everything.
func (f terms) IsZero() bool { return len(f.all) == 0 }

func (f terms) match(matches func(t *term) bool) bool {
	for i := range f.all {
		if t := &f.all[i]; matches(t) == t.not {
			return false
		}
	}
	return true
}

func checkKey(key string, available ...string) error {
	if slices.Contains(available, key) {
		return nil
	}
	return fmt.Errorf("unknown filter key %q; available: %s; quote the text to search for a colon", key, strings.Join(available, ", "))
}

func answer(yes bool) models.Answer {
	if yes {
		return models.Yes
	}
	return models.No
}

// Error is a syntax error in a filter.
type Error struct {
	Term string
	Why  string
	// Column is the position of the term's first character, counted in characters from 1.
	Column int
}

// Error returns the term, its position and the explanation.
func (e *Error) Error() string {
	return fmt.Sprintf("filter %q, column %d: %s", e.Term, e.Column, e.Why)
}

// OnScreen returns only the explanation, because the console shows it beside the filter.
func (e *Error) OnScreen() string { return e.Why }

// Parse parses a filter that does not use saved filters. An empty line matches every node.
func Parse(line string) (Filter, error) { return (*Saved)(nil).Parse(line) }

// parseFilter parses a filter. It calls saved to get the saved filters that the line uses.
func parseFilter(line string, saved func(name string) (Filter, error)) (Filter, error) {
	words, err := splitWords(line, true)
	if err != nil {
		return Filter{}, err
	}
	f := Filter{text: strings.TrimSpace(line)}
	var all []term
	for i, w := range words {
		if !w.or {
			t, err := parseNodeTerm(w, saved)
			if err != nil {
				return Filter{}, err
			}
			all = append(all, t)
			continue
		}
		if len(all) == 0 || i == len(words)-1 {
			return Filter{}, &Error{Term: w.text, Why: "| needs a term on both sides; quote the text to search for |", Column: w.column}
		}
		f.any, all = append(f.any, all), nil
	}
	if len(all) > 0 {
		f.any = append(f.any, all)
	}
	return f, nil
}

// String returns the line that was parsed.
func (f Filter) String() string { return f.text }

// IsZero reports whether the filter is empty and therefore matches everything.
func (f Filter) IsZero() bool { return len(f.any) == 0 }

// At returns a copy of the filter for the given time on the server's clock. The age key needs this time.
func (f Filter) At(now time.Time) Filter {
	f.now = now
	return f
}

// Fields returns the API fields that the filter needs in addition to [models.ListFields].
func (f Filter) Fields() []string {
	var fields []string
	add := func(field string) {
		if field != "" && !slices.Contains(fields, field) && !slices.Contains(models.ListFields(), field) {
			fields = append(fields, field)
		}
	}
	for _, all := range f.any {
		for i := range all {
			add(keys[all[i].key].field)
			for _, field := range all[i].fields {
				add(field)
			}
		}
	}
	return fields
}

// NeedsHardware reports whether the filter may need [models.Row.Hardware] for nodes whose properties lack the data.
func (f Filter) NeedsHardware() bool {
	for _, all := range f.any {
		if slices.ContainsFunc(all, func(t term) bool { return t.hardware }) {
			return true
		}
	}
	return false
}

// Match reports whether the node matches the filter.
func (f Filter) Match(r *models.Row) models.Answer {
	if len(f.any) == 0 {
		return models.Yes
	}
	found := models.No
	for _, all := range f.any {
		switch f.matchAll(all, r) {
		case models.Yes:
			return models.Yes
		case models.Unknown:
			found = models.Unknown
		case models.No:
		}
	}
	return found
}

// Unanswered returns the rows for which [Filter.Match] returns Unknown.
func Unanswered(f Filter, rows []*models.Row) []*models.Row {
	var unknown []*models.Row
	for _, r := range rows {
		if f.Match(r) == models.Unknown {
			unknown = append(unknown, r)
		}
	}
	return unknown
}

func (f Filter) matchAll(all []term, r *models.Row) models.Answer {
	found := models.Yes
	for i := range all {
		switch all[i].match(r, f.now) {
		case models.No:
			return models.No
		case models.Unknown:
			found = models.Unknown
		case models.Yes:
		}
	}
	return found
}

func fold(s string) string { return strings.ToLower(s) }

func (t *term) match(r *models.Row, now time.Time) models.Answer {
	if t.test == nil {
		return answer(t.matchNode(&r.Node) != t.not)
	}
	found := t.test(r, now)
	if t.not && found != models.Unknown {
		return models.Yes - found
	}
	return found
}

func (t *term) matchNode(n *models.Node) bool {
	switch {
	case t.fuzzy:
		return subsequence(t.values[0], fold(n.Label()))
	case t.key == "":
		return matchText(t.values[0], n)
	}
	k := keys[t.key]
	got := k.values(n)
	return slices.ContainsFunc(t.values, func(want string) bool { return k.matches(want, got, t.exact) })
}

func matchText(want string, n *models.Node) bool {
	return slices.ContainsFunc([]string{
		n.Name, n.UUID, string(n.ProvisionState), n.ResourceClass, n.Driver, n.InstanceUUID, n.InstanceName, n.Owner,
	}, func(have string) bool { return strings.Contains(fold(have), want) })
}

// any reports whether any of the strings matches any of the term's values.
func (t *term) any(have ...string) bool {
	for _, want := range t.values {
		for _, h := range have {
			if t.exact && strings.EqualFold(h, want) || !t.exact && containsFold(h, want) {
				return true
			}
		}
	}
	return false
}

// subsequence reports whether have contains all letters of want in the same order, possibly with others between them.
func subsequence(want, have string) bool {
	rest := []rune(want)
	for _, r := range have {
		if len(rest) > 0 && r == rest[0] {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}
