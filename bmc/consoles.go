package bmc

import (
	"context"
	"fmt"

	"ironworks/models"
)

// managerConsole is a console in Redfish's Manager resource.
type managerConsole struct {
	Enabled *bool    `json:"ServiceEnabled"`
	Types   []string `json:"ConnectTypesSupported"`
}

// graphicalConsole and serialConsole describe the consoles in Redfish's ComputerSystem resource.
type graphicalConsole struct {
	managerConsole
	Port *float64
}

type serialConsole struct{ SSH, Telnet, IPMI, WebSocket serialWay }

type serialWay struct {
	Enabled *bool `json:"ServiceEnabled"`
	Port    *float64
	URI     string `json:"ConsoleURI"`
}

// readConsoles reads the graphical and serial consoles. The descriptions in the system resource take precedence over
// the manager's, because they are newer and contain the ports.
func (p *probe) readConsoles(ctx context.Context) error {
	p.systemConsoles()
	if p.manager == nil {
		return nil
	}
	has := map[models.BMCConsoleKind]bool{}
	for _, c := range p.found.Consoles {
		has[c.Kind] = true
	}
	for _, c := range []struct {
		kind  models.BMCConsoleKind
		state managerConsole
	}{
		{models.BMCConsoleGraphical, p.manager.GraphicalConsole},
		{models.BMCConsoleSerial, p.manager.SerialConsole},
		{models.BMCConsoleShell, p.manager.CommandShell},
	} {
		if c.state.Enabled != nil && !has[c.kind] {
			p.found.Consoles = append(p.found.Consoles, models.BMCConsole{Kind: c.kind, Enabled: *c.state.Enabled, Types: c.state.Types})
		}
	}
	return p.supermicroConsole(ctx)
}

func (p *probe) systemConsoles() {
	if g := p.system.GraphicalConsole; g.Enabled != nil {
		types := g.Types
		if port := amount(g.Port, 65535); port > 0 && len(types) == 1 {
			types = []string{fmt.Sprintf("%s:%d", types[0], port)}
		}
		p.found.Consoles = append(p.found.Consoles, models.BMCConsole{Kind: models.BMCConsoleGraphical, Enabled: *g.Enabled, Types: types})
	}
	serial := models.BMCConsole{Kind: models.BMCConsoleSerial}
	found := false
	for _, way := range []struct {
		name string
		serialWay
	}{
		{"SSH", p.system.SerialConsole.SSH},
		{"Telnet", p.system.SerialConsole.Telnet},
		{"IPMI", p.system.SerialConsole.IPMI},
		{"WebSocket", p.system.SerialConsole.WebSocket},
	} {
		found = found || way.Enabled != nil
		if !orZero(way.Enabled) {
			continue
		}
		serial.Enabled = true
		name := way.name
		if port := amount(way.Port, 65535); port > 0 {
			name = fmt.Sprintf("%s:%d", name, port)
		}
		serial.Types = append(serial.Types, name)
		if way.URI != "" {
			serial.URL = p.absolute(way.URI)
		}
	}
	if found {
		p.found.Consoles = append(p.found.Consoles, serial)
	}
}

// supermicroConsole reads the only vendor-specific resource that contains the address of the console.
func (p *probe) supermicroConsole(ctx context.Context) error {
	var kvm struct {
		Current string `json:"Current Interface"`
		URI     string
	}
	if err := p.getLinked(ctx, p.manager.Oem.Supermicro.IKVM, &kvm); err != nil || kvm.URI == "" {
		return err
	}
	for i := range p.found.Consoles {
		if c := &p.found.Consoles[i]; c.Kind == models.BMCConsoleGraphical {
			c.URL = p.absolute(kvm.URI)
			return nil
		}
	}
	c := models.BMCConsole{Kind: models.BMCConsoleGraphical, Enabled: true, URL: p.absolute(kvm.URI)}
	if kvm.Current != "" {
		c.Types = []string{kvm.Current}
	}
	p.found.Consoles = append(p.found.Consoles, c)
	return nil
}
