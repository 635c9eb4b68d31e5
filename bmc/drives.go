package bmc

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"ironworks/models"
)

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
