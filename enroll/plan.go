package enroll

import (
	"cmp"
	"fmt"
	"strings"

	"ironworks/models"
)

// Kind says what happens to a node, port or port group when it is enrolled.
type Kind string

// These are the possible kinds.
const (
	Create    Kind = "create"
	Change    Kind = "change"
	Unchanged Kind = "unchanged"
	// Conflict means that the input contradicts Ironic or itself. Nothing is sent to Ironic.
	Conflict Kind = "conflict"
	// Invalid means that the node in the input has problems. Nothing is sent to Ironic.
	Invalid Kind = "invalid"
)

// Refused reports whether k is Conflict or Invalid. Enrollment skips such nodes.
func (k Kind) Refused() bool { return k == Conflict || k == Invalid }

// Item is the plan for one input node.
type Item struct {
	Node Node
	Kind Kind
	// UUID is the UUID of the node in Ironic. A new node will get this UUID.
	UUID string
	// Existing is the node in Ironic, or nil if the node is new.
	Existing *models.Node
	// MatchedBy lists the kinds of identifiers by which Existing was found: uuid, name, BMC, MAC, serial.
	MatchedBy []string
	// Changes lists the fields that differ. It is empty for a new node.
	Changes []FieldChange
	// AddTraits lists the required traits that the node lacks.
	AddTraits []string
	// Parts lists the port groups, followed by the ports.
	Parts []PartItem
	// NotCompared lists the secret fields that were not compared because Ironic does not show their values. For a
	// node that is already enrolled, it also mentions BIOS settings.
	NotCompared []string
	// Reason and Remedy explain a conflict. For an invalid node, Reason lists the problems of the node.
	Reason string
	Remedy string
}

// The nouns of a node's parts.
const (
	PortNoun      = "port"
	PortgroupNoun = "port group"
)

// PartItem is the plan for a port or port group of a node.
type PartItem struct {
	Noun   string // PortNoun or PortgroupNoun
	Fields map[string]any
	Kind   Kind
	// UUID is the UUID in Ironic. A new port or port group will get this UUID.
	UUID    string
	Changes []FieldChange
}

// Label returns the MAC address or, if it is unknown, the name or UUID.
func (p *PartItem) Label() string {
	return cmp.Or(models.TextOf(p.Fields["address"]), models.TextOf(p.Fields["name"]), models.TextOf(p.Fields["uuid"]), p.UUID)
}

// Differences returns a description of each change to an existing node. Secrets are masked.
func (it *Item) Differences() []string {
	if it.Kind != Change {
		return nil
	}
	var list []string
	for _, c := range it.Changes {
		list = append(list, c.String())
	}
	for _, t := range it.AddTraits {
		list = append(list, "add trait "+t)
	}
	for i := range it.Parts {
		switch p := &it.Parts[i]; p.Kind {
		case Create:
			list = append(list, fmt.Sprintf("create %s %s", p.Noun, p.Label()))
		case Change:
			for _, c := range p.Changes {
				list = append(list, fmt.Sprintf("%s %s: %s", p.Noun, p.Label(), c))
			}
		case Unchanged, Conflict, Invalid:
		}
	}
	return list
}

// Details describes in one line what is refused, changed, prepared, not compared and not carried over.
func (it *Item) Details() string {
	var parts []string
	switch changes := it.Differences(); {
	case it.Reason != "" && it.Remedy != "":
		parts = append(parts, it.Reason+"; "+it.Remedy)
	case it.Reason != "":
		parts = append(parts, it.Reason)
	case len(changes) > 0:
		parts = append(parts, strings.Join(changes, ", "))
	}
	if it.Node.Prepare != nil {
		parts = append(parts, "before available: "+it.Node.Prepare.String())
	}
	if len(it.NotCompared) > 0 {
		parts = append(parts, "not compared: "+strings.Join(it.NotCompared, ", "))
	}
	return strings.Join(append(parts, it.Node.Notes...), "; ")
}

// Plan lists what happens to each input node, in the order of the input.
type Plan []Item

// Count returns the number of items of a kind.
func (p Plan) Count(k Kind) int {
	n := 0
	for i := range p {
		if p[i].Kind == k {
			n++
		}
	}
	return n
}

// String returns the number of items of each kind, such as "3 create, 1 conflict".
func (p Plan) String() string {
	counts := map[Kind]int{}
	for i := range p {
		counts[p[i].Kind]++
	}
	return models.Tally(counts, []Kind{Create, Change, Unchanged, Conflict, Invalid})
}

// Refused returns the number of items whose kind is Conflict or Invalid. Enrollment skips their nodes.
func (p Plan) Refused() int { return p.Count(Conflict) + p.Count(Invalid) }
