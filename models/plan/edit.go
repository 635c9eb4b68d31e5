package plan

import (
	"reflect"
	"slices"

	"ironworks/models"
)

// Part is a group of fields of a plan that change together.
type Part int

// The parts of a plan.
const (
	// PartRamdisk is the kind, the deploy interface, the boot files and the image.
	PartRamdisk Part = iota
	PartRootDevice
	PartSteps
	PartTraits
	PartConfigDrive
	PartAllocate
)

// of returns a copy of the fields that has only the part.
func (part Part) of(f Fields) Fields {
	var own Fields
	part.put(&own, f)
	return own
}

// put copies the fields of the part from one set of fields to another.
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

// NameOf returns the plan's name for a node: its name or UUID; empty if the plan does not name it.
func (p *Plan) NameOf(n models.NodeRef) string {
	for _, name := range []string{n.Name, n.UUID} {
		if name != "" && p.index(name) >= 0 {
			return name
		}
	}
	return ""
}

// ForNode returns the fields for a node, by name or UUID.
func (p *Plan) ForNode(n models.NodeRef) Fields {
	if name := p.NameOf(n); name != "" {
		return p.For(name)
	}
	return p.Fields
}

func (p *Plan) index(name string) int {
	return slices.IndexFunc(p.Nodes, func(n Node) bool { return n.Name == name })
}

// Clone returns a plan that can be changed while other goroutines read this one: changes replace maps, hints and lists,
// and never modify them.
func (p *Plan) Clone() *Plan {
	c := *p
	c.Nodes = slices.Clone(p.Nodes)
	return &c
}

// Change changes a part of the fields of the named nodes. If the plan names no other nodes, Change changes the common
// fields, and also the nodes' own fields if they have that part. Otherwise the fields of the plan's other nodes stay.
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

// ChangeOne changes a part for one node only.
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
