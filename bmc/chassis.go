package bmc

import "context"

// chassis is what the machine is built into.
type chassis struct {
	resource
	Thermal, Power, ThermalSubsystem, PowerSubsystem, Sensors, EnvironmentMetrics ref
	NetworkAdapters, Drives                                                       ref

	Links struct{ Drives []ref }
}

// readChassis reads the machine's chassis, once: those that it names, or all where the
// controller has one machine.
func (p *probe) readChassis(ctx context.Context) ([]chassis, error) {
	if p.chassisRead {
		return p.chassis, nil
	}
	var err error
	if links := p.system.Links.Chassis; len(links) > 0 {
		p.chassis, err = each[chassis](ctx, p.session, links, mostChassis)
	} else if len(p.paths) == 1 {
		p.chassis, err = members[chassis](ctx, p.session, p.root.Chassis, mostChassis)
	}
	p.chassisRead = err == nil || len(p.chassis) > 0
	return p.chassis, err
}
