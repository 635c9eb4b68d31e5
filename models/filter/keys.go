package filter

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"ironworks/models"
)

// filterKey describes a key of the filter grammar. values returns the key's values for a node. field is the API field
// that values needs in addition to [models.ListFields].
type filterKey struct {
	values func(*models.Node) []string
	field  string
	// kind selects how values are compared.
	kind filterKind
}

type filterKind int

const (
	filterText filterKind = iota
	filterState
	filterBool
	filterPower
)

func singleValue(get func(*models.Node) string) func(*models.Node) []string {
	return func(n *models.Node) []string { return []string{get(n)} }
}

func boolField(get func(*models.Node) bool) func(*models.Node) []string {
	return func(n *models.Node) []string { return []string{strconv.FormatBool(get(n))} }
}

// Keys returns all filter keys, sorted.
func Keys() []string {
	return slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(keys)), quantityKeys(), []string{"field", "is"})))
}

// keys holds all keys of the filter grammar except "field", "is" and the keys in quantities. It is a variable because
// building the map for each node would cost more than matching the node. It is never modified.
var keys = map[string]filterKey{
	"name":        {values: singleValue(func(n *models.Node) string { return n.Name })},
	"uuid":        {values: singleValue(func(n *models.Node) string { return n.UUID })},
	"state":       {values: singleValue(func(n *models.Node) string { return string(n.ProvisionState) }), kind: filterState},
	"target":      {values: singleValue(func(n *models.Node) string { return string(n.TargetProvisionState) }), kind: filterState},
	"power":       {values: singleValue(func(n *models.Node) string { return string(n.PowerState) }), kind: filterPower},
	"class":       {values: singleValue(func(n *models.Node) string { return n.ResourceClass })},
	"driver":      {values: singleValue(func(n *models.Node) string { return n.Driver })},
	"instance":    {values: func(n *models.Node) []string { return []string{n.InstanceUUID, n.InstanceName} }, field: "instance_name"},
	"owner":       {values: singleValue(func(n *models.Node) string { return n.Owner })},
	"fault":       {values: singleValue(func(n *models.Node) string { return n.Fault })},
	"error":       {values: singleValue(func(n *models.Node) string { return n.LastError })},
	"reservation": {values: singleValue(func(n *models.Node) string { return n.Reservation })},
	"maintenance": {values: boolField(func(n *models.Node) bool { return n.Maintenance }), kind: filterBool},
	"protected":   {values: boolField(func(n *models.Node) bool { return n.Protected }), kind: filterBool},
	"retired":     {values: boolField(func(n *models.Node) bool { return n.Retired }), kind: filterBool},
	"step": {values: singleValue(func(n *models.Node) string {
		s, _ := n.CurrentStep()
		return s.Label()
	})},
	"lessee":      {values: singleValue(func(n *models.Node) string { return n.Lessee }), field: "lessee"},
	"group":       {values: singleValue(func(n *models.Node) string { return n.ConductorGroup }), field: "conductor_group"},
	"conductor":   {values: singleValue(func(n *models.Node) string { return n.Conductor }), field: "conductor"},
	"description": {values: singleValue(func(n *models.Node) string { return n.Description }), field: "description"},
	"shard":       {values: singleValue(func(n *models.Node) string { return n.Shard }), field: "shard"},
	"health":      {values: singleValue(func(n *models.Node) string { return n.Health }), field: "health"},
	"trait":       {values: func(n *models.Node) []string { return n.Traits }, field: "traits"},
	"deploy":      {values: singleValue(func(n *models.Node) string { return n.DeployInterface }), field: "deploy_interface"},
	"boot":        {values: singleValue(func(n *models.Node) string { return n.BootInterface }), field: "boot_interface"},
}

func (k filterKey) matches(want string, got []string, exact bool) bool {
	if want == "" {
		return !slices.ContainsFunc(got, func(s string) bool { return s != "" })
	}
	return slices.ContainsFunc(got, func(have string) bool { return k.matchOne(want, fold(have), exact) })
}

func (k filterKey) matchOne(want, have string, exact bool) bool {
	switch k.kind {
	case filterBool:
		value, ok := models.ParseBool(want)
		return ok && have == strconv.FormatBool(value)
	case filterPower:
		if have == "" {
			return want == "unknown" || want == "?"
		}
		return shortPower(have) == shortPower(want)
	case filterState:
		return matchState(want, have, exact)
	case filterText:
	}
	if exact {
		return have == want
	}
	return strings.Contains(have, want)
}

// blanks replaces - and _ with blanks, so that states can be written without quotes.
var blanks = strings.NewReplacer("-", " ", "_", " ")

func shortPower(s string) string {
	return strings.TrimPrefix(blanks.Replace(s), "power ")
}

// matchState reports whether have, a state or "", matches want, which is a state class or a search text.
func matchState(want, have string, exact bool) bool {
	s := models.ProvisionState(have)
	if !exact && have != "" {
		switch want {
		case "failed":
			return s.Failed()
		case "busy", "working", "transition":
			return s.Busy()
		case "stable":
			return s.Class() == models.ClassStable
		case "wait", "waiting":
			return s.Class() == models.ClassWait
		case "hold", "held":
			return s.Class() == models.ClassHold
		}
	}
	if exact {
		return blanks.Replace(have) == blanks.Replace(want)
	}
	return strings.Contains(blanks.Replace(have), blanks.Replace(want))
}

// isKeys lists the values that can follow "is:" in a filter.
var isKeys = []string{"discovered", "maintenance", "protected", "retired"}

// isTerm parses a term of the form is:VALUE. The value starts at w.text[at].
func isTerm(w word, at int) (term, error) {
	value := fold(w.text[at:])
	switch value {
	case "discovered":
		return term{hardware: true, fields: []string{"extra"}, test: func(r *models.Row, _ time.Time) models.Answer { return r.Discovered() }}, nil
	case "maintenance", "protected", "retired":
		return term{key: value, values: []string{"yes"}}, nil
	}
	return term{}, errors.New("is: must be followed by one of " + strings.Join(isKeys, ", "))
}
