package db

import (
	"maps"
	"slices"
)

func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

func cloneDicts(dicts []Dict) []Dict {
	if dicts == nil {
		return nil
	}
	copied := make([]Dict, len(dicts))
	for i, d := range dicts {
		copied[i] = d.Clone()
	}
	return copied
}

// Clone copies all levels.
func (n *Node) Clone() *Node {
	c := *n
	for _, dict := range []*Dict{
		&c.DriverInfo, &c.DriverInternalInfo, &c.Properties, &c.InstanceInfo, &c.Extra, &c.NetworkData,
		&c.RAIDConfig, &c.TargetRAIDConfig, &c.CleanStep, &c.DeployStep, &c.ServiceStep,
	} {
		*dict = dict.Clone()
	}
	c.Interfaces = maps.Clone(n.Interfaces)
	c.SecureBoot = clonePointer(n.SecureBoot)
	c.AutomatedClean = clonePointer(n.AutomatedClean)
	c.DisablePowerOff = clonePointer(n.DisablePowerOff)
	c.Traits = slices.Clone(n.Traits)
	c.Empty, c.Null = slices.Clone(n.Empty), slices.Clone(n.Null)
	return &c
}

// Clone copies all levels.
func (p *Port) Clone() *Port {
	c := *p
	c.AvailableForDynamicPortgroup = clonePointer(p.AvailableForDynamicPortgroup)
	c.LocalLinkConnection = p.LocalLinkConnection.Clone()
	c.Extra = p.Extra.Clone()
	c.InternalInfo = p.InternalInfo.Clone()
	return &c
}

// Clone copies all levels.
func (g *Portgroup) Clone() *Portgroup {
	c := *g
	c.DynamicPortgroup = clonePointer(g.DynamicPortgroup)
	c.Properties = g.Properties.Clone()
	c.Extra = g.Extra.Clone()
	c.InternalInfo = g.InternalInfo.Clone()
	return &c
}

// Clone copies all levels.
func (a *Allocation) Clone() *Allocation {
	c := *a
	c.Traits = slices.Clone(a.Traits)
	c.CandidateNodes = slices.Clone(a.CandidateNodes)
	c.Extra = a.Extra.Clone()
	return &c
}

// Clone copies all levels.
func (t *DeployTemplate) Clone() *DeployTemplate {
	c := *t
	c.Steps = cloneDicts(t.Steps)
	c.Extra = t.Extra.Clone()
	return &c
}

// Clone copies all levels.
func (r *InspectionRule) Clone() *InspectionRule {
	c := *r
	c.Description = clonePointer(r.Description)
	c.Conditions, c.Actions = cloneDicts(r.Conditions), cloneDicts(r.Actions)
	return &c
}

// Clone copies all levels.
func (r *Runbook) Clone() *Runbook {
	c := *r
	c.Description, c.Owner = clonePointer(r.Description), clonePointer(r.Owner)
	c.Extra, c.Steps, c.Traits = r.Extra.Clone(), cloneDicts(r.Steps), slices.Clone(r.Traits)
	return &c
}

// Clone copies all levels.
func (h History) Clone() History {
	h.Duration = clonePointer(h.Duration)
	return h
}

// Clone copies all levels.
func (i Inventory) Clone() Inventory {
	return Inventory{Inventory: i.Inventory.Clone(), PluginData: i.PluginData.Clone()}
}

// Clone copies all levels.
func (b BIOSSetting) Clone() BIOSSetting {
	b.AllowableValues = slices.Clone(b.AllowableValues)
	b.Value = clonePointer(b.Value)
	b.LowerBound, b.UpperBound = clonePointer(b.LowerBound), clonePointer(b.UpperBound)
	b.MinLength, b.MaxLength = clonePointer(b.MinLength), clonePointer(b.MaxLength)
	b.ReadOnly, b.ResetRequired, b.Unique = clonePointer(b.ReadOnly), clonePointer(b.ResetRequired), clonePointer(b.Unique)
	return b
}

// Clone copies all levels.
func (f Firmware) Clone() Firmware { return f }

// Clone copies all levels.
func (c Conductor) Clone() Conductor {
	c.Drivers = slices.Clone(c.Drivers)
	return c
}

func (n *Node) meta() meta           { return meta{&n.ID, &n.UUID, &n.CreatedAt, &n.UpdatedAt} }
func (p *Port) meta() meta           { return meta{&p.ID, &p.UUID, &p.CreatedAt, &p.UpdatedAt} }
func (g *Portgroup) meta() meta      { return meta{&g.ID, &g.UUID, &g.CreatedAt, &g.UpdatedAt} }
func (a *Allocation) meta() meta     { return meta{&a.ID, &a.UUID, &a.CreatedAt, &a.UpdatedAt} }
func (t *DeployTemplate) meta() meta { return meta{&t.ID, &t.UUID, &t.CreatedAt, &t.UpdatedAt} }
func (r *InspectionRule) meta() meta { return meta{&r.ID, &r.UUID, &r.CreatedAt, &r.UpdatedAt} }
func (r *Runbook) meta() meta        { return meta{&r.ID, &r.UUID, &r.CreatedAt, &r.UpdatedAt} }
