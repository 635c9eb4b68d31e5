package bmc

import (
	"cmp"
	"context"
	"slices"

	"ironworks/models"
)

type processor struct {
	resource
	Model, ProcessorType string

	TotalCores *float64
}

func (p *probe) readProcessors(ctx context.Context) error {
	cpus, err := members[processor](ctx, p.session, p.system.Processors, mostMembers)
	for i := range cpus {
		c := &cpus[i]
		if c.Status.absent() {
			continue
		}
		p.found.Processors = append(p.found.Processors, models.BMCProcessor{
			ID: c.ID, Model: c.Model, Cores: int(amount(c.TotalCores, 1e6)), Health: health(c.Status.Health),
		})
	}
	slices.SortStableFunc(p.found.Processors, func(a, b models.BMCProcessor) int { return cmp.Compare(a.ID, b.ID) })
	return err
}

type module struct {
	resource
	Type        string `json:"MemoryDeviceType"`
	CapacityMiB *float64
}

func (p *probe) readMemory(ctx context.Context) error {
	modules, err := members[module](ctx, p.session, p.system.Memory, mostMembers)
	for i := range modules {
		m := &modules[i]
		if m.Status.absent() {
			continue
		}
		p.found.Memory = append(p.found.Memory, models.BMCModule{
			ID: m.ID, MiB: int(amount(m.CapacityMiB, 1e9)), Type: m.Type, State: m.Status.State, Health: health(m.Status.Health),
		})
	}
	slices.SortStableFunc(p.found.Memory, func(a, b models.BMCModule) int { return cmp.Compare(a.ID, b.ID) })
	return err
}

// causes collects the unhealthy parts, which explain the health of the machine.
func (p *probe) causes() {
	f := p.found
	addCause := func(part string, h models.BMCHealth, state string) {
		if h == models.BMCHealthWarning || h == models.BMCHealthCritical {
			f.Causes = append(f.Causes, models.BMCCause{Part: part, Health: h, State: state})
		}
	}
	addCause("controller", f.Controller.Health, "")
	for _, d := range f.Drives {
		state := d.State
		if d.Predicted {
			state, d.Health = "failure predicted", d.Health.Worst(models.BMCHealthWarning)
		}
		addCause("drive "+d.ID, d.Health, state)
	}
	for _, n := range f.NICs {
		addCause("NIC "+n.ID, n.Health, n.Link)
	}
	for _, c := range f.Processors {
		addCause("processor "+c.ID, c.Health, "")
	}
	for _, m := range f.Memory {
		addCause("memory "+m.ID, m.Health, m.State)
	}
	for _, s := range f.Sensors {
		addCause(s.Kind+" "+s.Name, s.Health, "")
	}
}
