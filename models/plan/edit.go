package plan

import (
	"reflect"
	"slices"

	"ironworks/models"
)

// Part is a group of plan fields that change together.
type Part int

// The parts of a plan.
const (
	// PartRamdisk consists of the kind, the deploy interface, the boot files and the image.
	PartRamdisk Part = iota
	PartRootDevice
	PartSteps
	PartTraits
	PartConfigDrive
	PartAllocate
)

// of returns a copy of f in which only the fields of the part are set.
func (part Part) of(f Fields) Fields {
	var own Fields
	part.put(&own, f)
	return own
}

func (part Part) put(to *Fields, from Fields) {
	switch part {
	case PartRamdisk:
		to.Kind, to.DeployInterface, to.Ramdisk, to.Image = from.Kind, from.DeployInterface, from.Ramdisk, from.Image
	case PartRootDevice:
		to.RootDevice = from.RootDevice
	case PartSteps:
		to.Steps = from.Steps
	case PartTraits:
		to.Traits = from.Traits
	case PartConfigDrive:
		to.ConfigDrive = from.ConfigDrive
	case PartAllocate:
		to.Allocate = from.Allocate
	}
}

// NameOf returns the name that the plan uses for the node, which is the node's name or UUID. It returns "" if the
// plan does not name the node.
func (p *Plan) NameOf(n models.NodeRef) string {
	for _, name := range []string{n.Name, n.UUID} {
		if name != "" && p.index(name) >= 0 {
			return name
		}
	}
	return ""
}

// ForNode returns the fields for a node, which the plan may refer to by its name or UUID. If the plan does not
// contain the node, it returns the common fields.
func (p *Plan) ForNode(n models.NodeRef) Fields {
	if name := p.NameOf(n); name != "" {
		return p.For(name)
	}
	return p.Fields
}

func (p *Plan) index(name string) int {
	return slices.IndexFunc(p.Nodes, func(n Node) bool { return n.Name == name })
}

// Clone returns a copy that can be changed while other goroutines read p. This works because changes replace maps,
// hints and lists instead of modifying them.
func (p *Plan) Clone() *Plan {
	c := *p
	c.Nodes = slices.Clone(p.Nodes)
	return &c
}

// Change edits one part of the named nodes' fields. If the plan contains no other nodes, Change edits the common
// fields, and also those fields of single nodes that override them. Otherwise, it edits only the named nodes' own
// fields, so that the other nodes are not affected.
func (p *Plan) Change(names []string, part Part, change func(f *Fields)) {
	others := slices.ContainsFunc(p.Nodes, func(n Node) bool { return !slices.Contains(names, n.Name) })
	if !others {
		change(&p.Fields)
	}
	for _, name := range names {
		i := p.index(name)
		if i < 0 {
			continue
		}
		own := &p.Nodes[i].Fields
		if others {
			part.put(own, p.For(name))
		} else if reflect.DeepEqual(part.of(*own), Fields{}) {
			continue
		}
		change(own)
	}
}

// ChangeOne edits one part of a single node's fields.
func (p *Plan) ChangeOne(name string, part Part, change func(f *Fields)) {
	i := p.index(name)
	if i < 0 || len(p.Nodes) == 1 {
		p.Change([]string{name}, part, change)
		return
	}
	own := &p.Nodes[i].Fields
	part.put(own, p.For(name))
	change(own)
}
