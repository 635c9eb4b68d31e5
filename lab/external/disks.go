package external

import (
	"context"
	"fmt"
	"net/http"

	"ironworks/agent"
)

// blockDevice is a disk in the response to block-devices. It has attributes that are missing from an inventory.
type blockDevice struct {
	agent.Disk
	ReadOnly     bool `json:"read_only"`
	VirtualMedia bool `json:"virtual_media"`
}

func (s *service) blockDevices(w http.ResponseWriter, r *http.Request) error {
	disks, err := s.hardware.BlockDevices(r.Context())
	if err != nil {
		return err
	}
	devices := make([]blockDevice, len(disks))
	for i, d := range disks {
		devices[i] = blockDevice{Disk: d, ReadOnly: d.ReadOnly, VirtualMedia: d.VirtualMedia}
	}
	return write(w, devices)
}

type erasure struct {
	Device string `json:"device"`
	Depth  string `json:"depth"`
}

func (s *service) erase(ctx context.Context, call erasure) error {
	depth := agent.EraseMetadata
	switch call.Depth {
	case "metadata":
	case "all":
		depth = agent.EraseAll
	default:
		return badRequest{fmt.Errorf("depth %q: want metadata or all", call.Depth)}
	}
	return s.hardware.Erase(ctx, agent.Erase{Device: call.Device, Depth: depth})
}

func (s *service) writeImage(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	root, err := s.hardware.WriteImage(r.Context(), agent.ImageWrite{
		Device: query.Get("device"), ID: query.Get("id"), Format: query.Get("format"),
	}, r.Body)
	if err != nil {
		return err
	}
	return write(w, map[string]string{"root_uuid": root})
}

func (s *service) unitState(w http.ResponseWriter, r *http.Request) error {
	state, err := s.hardware.UnitState(r.Context(), r.URL.Query().Get("unit"))
	if err != nil {
		return err
	}
	return write(w, map[string]string{"active": state.Active, "result": state.Result})
}
