package redfish

import (
	"context"
	"slices"
)

// Ethernet holds the fields of a Redfish EthernetInterface that inspection uses.
type Ethernet struct {
	ID         string `json:"Id"`
	MACAddress string
	SpeedMbps  *int
	Status     struct{ State string }
}

// NICs reads the network interfaces.
func (s *System) NICs(ctx context.Context) ([]Ethernet, error) {
	return Members[Ethernet](ctx, s.BMC, s.EthernetInterfaces)
}

// Drive holds the fields of a Redfish Drive that the conductor uses.
type Drive struct {
	ID            string `json:"Id"`
	Name          string
	CapacityBytes *int64
	Manufacturer  *string
	Model         *string
	SerialNumber  *string
	MediaType     *string
	Protocol      *string
	Status        *struct{ Health, State *string }
}

// Storage holds the fields of a Redfish Storage that the conductor uses.
type Storage struct {
	ID                 string `json:"Id"`
	Name               string
	Drives             []Link
	Volumes            *Link
	StorageControllers []struct {
		MemberID            string `json:"MemberId"`
		Name                *string
		SpeedGbps           *float64
		RAIDTypes           []any `json:"SupportedRAIDTypes"`
		ControllerProtocols []any `json:"SupportedControllerProtocols"`
		DeviceProtocols     []any `json:"SupportedDeviceProtocols"`
		Status              *struct{ Health, State *string }
	}

	// AllDrives holds the drives that Drives refers to.
	AllDrives []Drive `json:"-"`
}

// Storages reads the storages with their drives.
func (s *System) Storages(ctx context.Context) ([]Storage, error) {
	storages, err := Members[Storage](ctx, s.BMC, s.Storage)
	for i := 0; i < len(storages) && err == nil; i++ {
		storages[i].AllDrives, err = ReadAll[Drive](ctx, s.BMC, storages[i].Drives)
	}
	return storages, err
}

// VolumeCollection holds the fields of a Redfish VolumeCollection that the conductor uses.
type VolumeCollection struct {
	Members []Link
	Support struct {
		SupportedValues []string
	} `json:"@Redfish.OperationApplyTimeSupport"`
}

// AddApplyTime requests that the BMC applies the change at once or, if it does not support that, at a restart.
func (c *VolumeCollection) AddApplyTime(body map[string]any) {
	for _, at := range []string{"Immediate", "OnReset"} {
		if slices.Contains(c.Support.SupportedValues, at) {
			body["@Redfish.OperationApplyTime"] = at
			return
		}
	}
}

// Volume holds the fields of a Redfish Volume that the conductor uses.
type Volume struct {
	ID            string `json:"Id"`
	Name          *string
	RAIDType      string
	CapacityBytes int64
}

// Volumes reads the collection of volumes at path, and the volumes.
func (s *System) Volumes(ctx context.Context, path string) (c VolumeCollection, all []Volume, err error) {
	if err = s.BMC.Get(ctx, path, &c); err == nil {
		all, err = ReadAll[Volume](ctx, s.BMC, c.Members)
	}
	return c, all, err
}
