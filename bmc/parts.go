package bmc

import (
	"cmp"
	"errors"
	"slices"

	"github.com/stmcginnis/gofish/schemas"

	"ironworks/models"
)

func (p *probe) readDrives() error {
	storages, err := p.system.Storage()
	all := []error{err}
	for _, s := range storages {
		drives, err := s.Drives()
		all = append(all, err)
		for _, d := range drives {
			drive := models.BMCDrive{
				ID: d.ID, Storage: s.ID, Manufacturer: d.Manufacturer, Model: d.Model, Serial: d.SerialNumber, Bytes: int64(of(d.CapacityBytes)),
				Media: string(d.MediaType), Protocol: string(d.Protocol), State: string(d.Status.State), Health: health(d.Status.Health), Predicted: d.FailurePredicted,
			}
			if d.PredictedMediaLifeLeftPercent != nil {
				left := int(*d.PredictedMediaLifeLeftPercent)
				drive.LifeLeft = &left
			}
			p.found.Drives = append(p.found.Drives, drive)
		}
	}
	slices.SortFunc(p.found.Drives, func(a, b models.BMCDrive) int {
		return cmp.Or(cmp.Compare(a.Storage, b.Storage), cmp.Compare(a.ID, b.ID))
	})
	return errors.Join(all...)
}

// of is a number that may not be told.
func of[T any](n *T) T {
	if n == nil {
		return *new(T)
	}
	return *n
}

func (p *probe) readNICs() error {
	nics, err := p.system.EthernetInterfaces()
	for _, n := range nics {
		mac := n.PermanentMACAddress
		if mac == "" {
			mac = n.MACAddress
		}
		p.found.NICs = append(p.found.NICs, models.BMCNIC{
			ID: n.ID, MAC: mac, Mbit: of(n.SpeedMbps), Link: string(n.LinkStatus), Health: health(n.Status.Health),
		})
	}
	slices.SortFunc(p.found.NICs, func(a, b models.BMCNIC) int { return cmp.Compare(a.ID, b.ID) })
	return err
}

func (p *probe) readProcessors() error {
	cpus, err := p.system.Processors()
	for _, c := range cpus {
		p.found.Processors = append(p.found.Processors, models.BMCProcessor{ID: c.ID, Model: c.Model, Cores: of(c.TotalCores), Health: health(c.Status.Health)})
	}
	slices.SortFunc(p.found.Processors, func(a, b models.BMCProcessor) int { return cmp.Compare(a.ID, b.ID) })
	return err
}

func (p *probe) readMemory() error {
	modules, err := p.system.Memory()
	for _, m := range modules {
		if m.Status.State == schemas.AbsentState {
			continue
		}
		p.found.Memory = append(p.found.Memory, models.BMCModule{
			ID: m.ID, MiB: of(m.CapacityMiB), Type: string(m.MemoryDeviceType), State: string(m.Status.State), Health: health(m.Status.Health),
		})
	}
	slices.SortFunc(p.found.Memory, func(a, b models.BMCModule) int { return cmp.Compare(a.ID, b.ID) })
	return err
}

// causes are the parts that are not well.
func (p *probe) causes() {
	f := p.found
	note := func(part string, h models.BMCHealth, state string) {
		if h == models.BMCHealthWarning || h == models.BMCHealthCritical {
			f.Causes = append(f.Causes, models.BMCCause{Part: part, Health: h, State: state})
		}
	}
	note("controller", f.Controller.Health, "")
	for _, d := range f.Drives {
		state := d.State
		if d.Predicted {
			state, d.Health = "failure predicted", d.Health.Worst(models.BMCHealthWarning)
		}
		note("drive "+d.ID, d.Health, state)
	}
	for _, n := range f.NICs {
		note("NIC "+n.ID, n.Health, n.Link)
	}
	for _, c := range f.Processors {
		note("processor "+c.ID, c.Health, "")
	}
	for _, m := range f.Memory {
		note("memory "+m.ID, m.Health, m.State)
	}
	for _, s := range f.Sensors {
		note(s.Kind+" "+s.Name, s.Health, "")
	}
}
