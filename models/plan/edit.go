package plan

import (
	"reflect"
	"slices"

	"ironworks/models"
)

// Part is what of a plan is changed together.
type Part int

// The parts.
const (
	// PartRamdisk is the kind, the deploy interface, what is booted and the image.
	PartRamdisk Part = iota
	PartRootDevice
	PartSteps
	PartTraits
	PartConfigDrive
	PartAllocate
)

// of is what fields say of the part, and nothing else.
func (part Part) of(f Fields) Fields {
	var own Fields
	part.put(&own, f)
	return own
}

// put takes the part over from other fields.
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

// NameOf is the name that the plan has for a node: its name or its uuid; empty where it
// does not name it.
func (p *Plan) NameOf(n models.NodeRef) string {
	for _, name := range []string{n.Name, n.UUID} {
		if name != "" && p.index(name) >= 0 {
			return name
		}
	}
	return ""
}

// ForNode is what the plan says of a node, by its name or its uuid.
func (p *Plan) ForNode(n models.NodeRef) Fields {
	if name := p.NameOf(n); name != "" {
		return p.For(name)
	}
	return p.Fields
}

func (p *Plan) index(name string) int {
	return slices.IndexFunc(p.Nodes, func(n Node) bool { return n.Name == name })
}

// Clone is a plan that can be changed while others read this one: what a change replaces
// is its own, and maps, hints and lists within are never written into.
func (p *Plan) Clone() *Plan {
	c := *p
	c.Nodes = slices.Clone(p.Nodes)
	return &c
}

// Change changes a part of what is said of nodes by name. Where the plan names no other
// nodes it is changed for all of them, and in those that have a part of their own there,
// too; what the others of a larger plan get stays as it is.
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

// ChangeOne changes a part of what is said of one node, and of no other.
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
