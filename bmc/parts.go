package bmc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// maxSettings is the maximum number of BIOS settings that are read. Real machines have a few hundred.
const maxSettings = 2000

type bios struct {
	resource
	Attributes map[string]any
	Settings   struct {
		Object ref `json:"SettingsObject"`
	} `json:"@Redfish.Settings"`
}

// readBIOS reads the current BIOS settings. The pending settings for the next boot are in a separate resource.
func (p *probe) readBIOS(ctx context.Context) error {
	var now, next bios
	if err := p.getLinked(ctx, p.system.Bios, &now); err != nil {
		return err
	}
	err := p.getLinked(ctx, now.Settings.Object, &next)
	for name, value := range now.Attributes {
		if len(p.found.BIOS) == maxSettings {
			break
		}
		v := models.BMCValue{Name: name, Value: setting(value)}
		if pending, differs := next.Attributes[name]; differs && setting(pending) != v.Value {
			v.Pending = setting(pending)
		}
		p.found.BIOS = append(p.found.BIOS, v)
	}
	slices.SortFunc(p.found.BIOS, func(a, b models.BMCValue) int { return cmp.Compare(a.Name, b.Name) })
	return err
}

// setting returns the value of a BIOS setting as text. Numbers are written without an exponent.
func setting(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64, bool:
		text, err := json.Marshal(v)
		if err == nil {
			return string(text)
		}
	}
	return fmt.Sprint(value)
}

// maxBytes is the maximum plausible size of a drive, in bytes: an exabyte.
const maxBytes = 1e18

type storage struct {
	resource
	Drives []ref
}

type drive struct {
	resource
	Manufacturer, Model, SerialNumber, MediaType, Protocol string

	CapacityBytes    *float64
	LifeLeft         *float64 `json:"PredictedMediaLifeLeftPercent"`
	FailurePredicted bool
}

// readDrives reads the drives of the storage controllers. If it finds none, it reads the drives to which the chassis
// link. If it finds none there either, it reads the devices of SimpleStorage.
func (p *probe) readDrives(ctx context.Context) error {
	storages, err := members[storage](ctx, p.session, p.system.Storage, mostMembers)
	all := []error{err}
	seen := map[string]bool{}
	for i := range storages {
		s := &storages[i]
		var links []ref
		for _, link := range s.Drives {
			if !seen[link.ID] {
				seen[link.ID] = true
				links = append(links, link)
			}
		}
		drives, err := readLinked[drive](ctx, p.session, links, mostMembers)
		all = append(all, err)
		p.addDrives(s.ID, drives)
	}
	if len(p.found.Drives) == 0 {
		all = append(all, p.chassisDrives(ctx))
	}
	if len(p.found.Drives) == 0 {
		all = append(all, p.simpleDrives(ctx))
	}
	slices.SortStableFunc(p.found.Drives, func(a, b models.BMCDrive) int {
		return cmp.Or(cmp.Compare(a.Storage, b.Storage), cmp.Compare(a.ID, b.ID))
	})
	return errors.Join(all...)
}

func (p *probe) addDrives(storage string, drives []drive) {
	for i := range drives {
		d := &drives[i]
		if d.Status.absent() {
			continue
		}
		p.found.Drives = append(p.found.Drives, models.BMCDrive{
			ID: d.ID, Storage: storage, Manufacturer: d.Manufacturer, Model: d.Model, Serial: d.SerialNumber, Bytes: amount(d.CapacityBytes, maxBytes),
			Media: d.MediaType, Protocol: d.Protocol, State: d.Status.State, Health: health(d.Status.Health), Predicted: d.FailurePredicted,
			LifeLeft: percent(d.LifeLeft),
		})
	}
}

func (p *probe) chassisDrives(ctx context.Context) error {
	all, err := p.readChassis(ctx)
	errs := []error{err}
	for i := range all {
		c := &all[i]
		var drives []drive
		if len(c.Links.Drives) > 0 {
			drives, err = readLinked[drive](ctx, p.session, c.Links.Drives, mostMembers)
		} else {
			drives, err = members[drive](ctx, p.session, c.Drives, mostMembers)
		}
		errs = append(errs, err)
		p.addDrives(c.ID, drives)
	}
	return errors.Join(errs...)
}

func (p *probe) simpleDrives(ctx context.Context) error {
	type simple struct {
		resource
		Devices []struct {
			Name, Manufacturer, Model string

			CapacityBytes *float64
			Status        condition
		}
	}
	all, err := members[simple](ctx, p.session, p.system.SimpleStorage, mostMembers)
	for i := range all {
		for _, d := range all[i].Devices {
			if d.Status.absent() {
				continue
			}
			p.found.Drives = append(p.found.Drives, models.BMCDrive{
				ID: d.Name, Storage: all[i].ID, Manufacturer: d.Manufacturer, Model: d.Model, Bytes: amount(d.CapacityBytes, maxBytes),
				State: d.Status.State, Health: health(d.Status.Health),
			})
		}
	}
	return err
}
