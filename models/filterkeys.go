package models

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// filterKey describes a key of the filter grammar. values returns the key's values for a node. field is the API field
// that values needs in addition to [ListFields].
type filterKey struct {
	values func(*Node) []string
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

func singleValue(get func(*Node) string) func(*Node) []string {
	return func(n *Node) []string { return []string{get(n)} }
}

func boolField(get func(*Node) bool) func(*Node) []string {
	return func(n *Node) []string { return []string{strconv.FormatBool(get(n))} }
}

// FilterKeys returns all filter keys, sorted.
func FilterKeys() []string {
	keys := slices.AppendSeq(make([]string, 0, 32), maps.Keys(filterKeys()))
	keys = append(append(keys, quantityKeys()...), "field", "is")
	slices.Sort(keys)
	return keys
}

func filterKeys() map[string]filterKey { return allFilterKeys }

// allFilterKeys holds all keys of the filter grammar except "field", "is" and the keys in quantities. It is a
// variable because building the map for each node would cost more than matching the node. It is never modified.
var allFilterKeys = map[string]filterKey{
	"name":        {values: singleValue(func(n *Node) string { return n.Name })},
	"uuid":        {values: singleValue(func(n *Node) string { return n.UUID })},
	"state":       {values: singleValue(func(n *Node) string { return string(n.ProvisionState) }), kind: filterState},
	"target":      {values: singleValue(func(n *Node) string { return string(n.TargetProvisionState) }), kind: filterState},
	"power":       {values: singleValue(func(n *Node) string { return string(n.PowerState) }), kind: filterPower},
	"class":       {values: singleValue(func(n *Node) string { return n.ResourceClass })},
	"driver":      {values: singleValue(func(n *Node) string { return n.Driver })},
	"instance":    {values: func(n *Node) []string { return []string{n.InstanceUUID, n.InstanceName} }, field: "instance_name"},
	"owner":       {values: singleValue(func(n *Node) string { return n.Owner })},
	"fault":       {values: singleValue(func(n *Node) string { return n.Fault })},
	"error":       {values: singleValue(func(n *Node) string { return n.LastError })},
	"reservation": {values: singleValue(func(n *Node) string { return n.Reservation })},
	"maintenance": {values: boolField(func(n *Node) bool { return n.Maintenance }), kind: filterBool},
	"protected":   {values: boolField(func(n *Node) bool { return n.Protected }), kind: filterBool},
	"retired":     {values: boolField(func(n *Node) bool { return n.Retired }), kind: filterBool},
	"step": {values: singleValue(func(n *Node) string {
		s, _ := n.CurrentStep()
		return s.Label()
	})},
	"lessee":      {values: singleValue(func(n *Node) string { return n.Lessee }), field: "lessee"},
	"group":       {values: singleValue(func(n *Node) string { return n.ConductorGroup }), field: "conductor_group"},
	"conductor":   {values: singleValue(func(n *Node) string { return n.Conductor }), field: "conductor"},
	"description": {values: singleValue(func(n *Node) string { return n.Description }), field: "description"},
	"shard":       {values: singleValue(func(n *Node) string { return n.Shard }), field: "shard"},
	"health":      {values: singleValue(func(n *Node) string { return n.Health }), field: "health"},
	"trait":       {values: func(n *Node) []string { return n.Traits }, field: "traits"},
	"deploy":      {values: singleValue(func(n *Node) string { return n.DeployInterface }), field: "deploy_interface"},
	"boot":        {values: singleValue(func(n *Node) string { return n.BootInterface }), field: "boot_interface"},
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
		return have == boolWord(want)
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

func boolWord(s string) string {
	switch s {
	case "true", "yes", "on", "1", "y", "t":
		return "true"
	case "false", "no", "off", "0", "n", "f":
		return "false"
	}
	return s
}

// matchState reports whether have, a state or "", matches want, which is a state class or a search text.
func matchState(want, have string, exact bool) bool {
	s := ProvisionState(have)
	if !exact && have != "" {
		switch want {
		case "failed":
			return s.Failed()
		case "busy", "working", "transition":
			return s.Busy()
		case "stable":
			return s.Class() == ClassStable
		case "wait", "waiting":
			return s.Class() == ClassWait
		case "hold", "held":
			return s.Class() == ClassHold
		}
	}
	if exact {
		return blanks.Replace(have) == blanks.Replace(want)
	}
	return strings.Contains(blanks.Replace(have), blanks.Replace(want))
}
