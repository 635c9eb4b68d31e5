package conductor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ironworks/lab/conductor/redfish"
	"ironworks/lab/db"
)

// Firmware components (ironic/drivers/modules/redfish/utils.py). The name of a network adapter's component consists
// of nicPrefix and the adapter's serial number. If the adapter has no serial number, its ID is used instead.
const (
	biosComponent = "bios"
	bmcComponent  = "bmc"
	nicPrefix     = "nic:"
)

// updateFirmwareCache implements node_cache_firmware_components. It ignores errors.
func (t *task) updateFirmwareCache(ctx context.Context) {
	if t.driver.names["firmware"] == "redfish" {
		_ = t.cacheFirmware(ctx)
	}
}

// cacheFirmware implements cache_firmware_components (ironic/drivers/modules/redfish/firmware.py).
func (t *task) cacheFirmware(ctx context.Context) error {
	system, err := t.systemOf(ctx)
	if err != nil {
		return err
	}
	var found []db.Firmware
	if system.BiosVersion != "" {
		found = append(found, db.Firmware{Component: biosComponent, CurrentVersion: system.BiosVersion})
	}
	if m, err := managerOf(ctx, system); err == nil && m.FirmwareVersion != "" {
		found = append(found, db.Firmware{Component: bmcComponent, CurrentVersion: m.FirmwareVersion, Model: m.Model})
	}
	if adapters, err := adaptersOf(ctx, system); err == nil {
		found = append(found, adapterFirmware(adapters)...)
	}
	if len(found) == 0 {
		return db.Faultf(400, kindUnsupported, "Cannot retrieve firmware for node %s: no supported components", t.node.UUID)
	}
	return t.storeFirmware(found)
}

// redfishManager holds the fields of a Redfish Manager that the conductor uses.
type redfishManager struct {
	FirmwareVersion, Model string
}

// managerOf reads the first manager of the system.
func managerOf(ctx context.Context, s *redfish.System) (redfishManager, error) {
	var m redfishManager
	if len(s.Links.ManagedBy) == 0 {
		return m, redfishFault("Couldn't find any Sushy Manager")
	}
	if err := s.BMC.Get(ctx, s.Links.ManagedBy[0].ID, &m); err != nil {
		return m, redfishFault("%s", messageOf(err))
	}
	return m, nil
}

// networkAdapter holds the fields of a Redfish NetworkAdapter that the conductor uses.
type networkAdapter struct {
	ID           string `json:"Id"`
	Manufacturer string
	Model        string
	SerialNumber string
	Controllers  []struct{ FirmwarePackageVersion string }
}

// adaptersOf reads the network adapters in the system's first chassis. It returns nil if there are none.
func adaptersOf(ctx context.Context, s *redfish.System) ([]networkAdapter, error) {
	if len(s.Links.Chassis) == 0 {
		return nil, nil
	}
	var chassis struct{ NetworkAdapters *redfish.Link }
	if err := s.BMC.Get(ctx, s.Links.Chassis[0].ID, &chassis); err != nil || chassis.NetworkAdapters == nil {
		return nil, err
	}
	links, err := s.BMC.Links(ctx, chassis.NetworkAdapters.ID)
	if err != nil {
		return nil, err
	}
	return redfish.ReadAll[networkAdapter](ctx, s.BMC, links)
}

// adapterFirmware implements retrieve_nic_components.
func adapterFirmware(adapters []networkAdapter) []db.Firmware {
	var found []db.Firmware
	for _, a := range adapters {
		for _, controller := range a.Controllers {
			if controller.FirmwarePackageVersion != "" {
				found = append(found, db.Firmware{
					Component: nicPrefix + cmp.Or(a.SerialNumber, a.ID), CurrentVersion: controller.FirmwarePackageVersion,
					Vendor: a.Manufacturer, Model: a.Model, SerialNumber: a.SerialNumber,
				})
			}
		}
	}
	return found
}

// storeFirmware implements sync_firmware_components (ironic/objects/firmware.py). It never removes components.
func (t *task) storeFirmware(found []db.Firmware) error {
	stored := t.c.tables.Firmware(t.node.UUID)
	for _, f := range found {
		at := slices.IndexFunc(stored, func(old db.Firmware) bool { return old.Component == f.Component })
		if at < 0 {
			f.InitialVersion = f.CurrentVersion
			stored = append(stored, f)
			continue
		}
		old := &stored[at]
		flashed := old.LastVersionFlashed != "" && f.CurrentVersion != old.LastVersionFlashed
		if f.CurrentVersion == old.CurrentVersion && !flashed && f.Vendor == old.Vendor && f.Model == old.Model && f.SerialNumber == old.SerialNumber {
			continue
		}
		f.InitialVersion, f.LastVersionFlashed = old.InitialVersion, old.LastVersionFlashed
		if f.CurrentVersion != old.CurrentVersion {
			f.LastVersionFlashed = f.CurrentVersion
		}
		*old = f
	}
	if err := t.c.tables.SetFirmware(t.node.UUID, stored); err != nil {
		return fmt.Errorf("storing the firmware of node %s: %w", t.node.UUID, err)
	}
	return nil
}

// componentType implements get_component_type. It returns "" for an unknown component.
func componentType(component string) string {
	switch {
	case component == biosComponent, component == bmcComponent:
		return component
	case strings.HasPrefix(component, nicPrefix):
		return "nic"
	}
	return ""
}
