package external

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"ironworks/agent"
)

// body is the body of a request. Each request uses some of its fields.
type body struct {
	Argv     []string     `json:"argv"`
	Ignition []byte       `json:"ignition"`
	Device   string       `json:"device"`
	Depth    string       `json:"depth"`
	Files    []agent.File `json:"files"`
	Unit     string       `json:"unit"`
	Hash     string       `json:"hash"`
}

// handler returns the answer to a request. A nil answer has no content.
type handler func(r *http.Request) (answer any, err error)

func (s *service) handlers() map[string]handler {
	h := s.hardware
	return map[string]handler{
		"GET /inventory":        func(r *http.Request) (any, error) { return h.Inventory(r.Context()) },
		"GET /block-devices":    s.blockDevices,
		"POST /boot-entry":      command(func(ctx context.Context, c body) error { return h.BootFrom(ctx, c.Device) }),
		"POST /run":             s.run,
		"GET /mount":            s.mount,
		"POST /unmount":         command(func(ctx context.Context, c body) error { return h.Unmount(ctx, c.Device, c.Files) }),
		"POST /erase":           command(s.erase),
		"POST /write-image":     s.writeImage,
		"POST /start-unit":      command(func(ctx context.Context, c body) error { return h.StartUnit(ctx, c.Unit) }),
		"GET /unit-state":       s.unitState,
		"POST /rescue-password": command(func(ctx context.Context, c body) error { return h.SetRescuePassword(ctx, c.Hash) }),
		"POST /network-down":    withoutBody(h.NetworkDown),
		"POST /sync":            withoutBody(h.Sync),
		"POST /power-off":       withoutBody(h.PowerOff),
		"POST /reboot":          withoutBody(h.Reboot),
	}
}

// command returns a handler that calls do with the decoded body of the request. Its answer has no content.
func command(do func(context.Context, body) error) handler {
	return func(r *http.Request) (any, error) {
		c, err := read(r)
		if err != nil {
			return nil, err
		}
		return nil, do(r.Context(), c)
	}
}

// withoutBody returns a handler that calls do and ignores the body of the request.
func withoutBody(do func(context.Context) error) handler {
	return func(r *http.Request) (any, error) { return nil, do(r.Context()) }
}

// blockDevice is a disk in the response to block-devices. It has attributes that are missing from an inventory.
type blockDevice struct {
	agent.Disk
	ReadOnly     bool `json:"read_only"`
	VirtualMedia bool `json:"virtual_media"`
}

func (s *service) blockDevices(r *http.Request) (any, error) {
	disks, err := s.hardware.BlockDevices(r.Context())
	devices := make([]blockDevice, len(disks))
	for i, d := range disks {
		devices[i] = blockDevice{Disk: d, ReadOnly: d.ReadOnly, VirtualMedia: d.VirtualMedia}
	}
	return devices, err
}

func (s *service) erase(ctx context.Context, c body) error {
	depth, ok := map[string]agent.Erasure{"metadata": agent.EraseMetadata, "all": agent.EraseAll}[c.Depth]
	if !ok {
		return badRequest{fmt.Errorf("depth %q: want metadata or all", c.Depth)}
	}
	return s.hardware.Erase(ctx, agent.Erase{Device: c.Device, Depth: depth})
}

func (s *service) writeImage(r *http.Request) (any, error) {
	query := r.URL.Query()
	root, err := s.hardware.WriteImage(r.Context(), agent.ImageWrite{
		Device: query.Get("device"), ID: query.Get("id"), Format: query.Get("format"),
	}, r.Body)
	return map[string]string{"root_uuid": root}, err
}

func (s *service) unitState(r *http.Request) (any, error) {
	return s.hardware.UnitState(r.Context(), r.URL.Query().Get("unit"))
}

// run runs a program and answers with its output. A missing program causes an error.
func (s *service) run(r *http.Request) (any, error) {
	c, err := read(r)
	if err != nil {
		return nil, err
	}
	if len(c.Argv) == 0 {
		return nil, badRequest{errors.New("no program")}
	}
	return s.hardware.Execute(r.Context(), c.Argv...)
}

// files is the response to a mount request: the files of a device, or the error of mounting it.
type files struct {
	Device string       `json:"device"`
	Files  []agent.File `json:"files"`
	Error  string       `json:"error,omitempty"`
}

func (s *service) mount(r *http.Request) (any, error) {
	var err error
	answer := files{Device: r.URL.Query().Get("device")}
	answer.Files, err = s.hardware.Mount(r.Context(), answer.Device)
	if refused, ok := errors.AsType[*agent.MountError](err); ok {
		answer.Error, err = refused.Text, nil
	}
	return answer, err
}
