package bmc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stmcginnis/gofish/schemas"

	"ironworks/models"
)

// MostEntries is how many entries of each log are told, the newest ones.
const MostEntries = 50

// Probe asks a controller for all that it tells of its machine, part by part. A part that
// cannot be read is in Unread; an error is a *models.Fault, and says that nothing could.
// The clock is the console's.
func Probe(ctx context.Context, t Target, now func() time.Time) (*models.BMC, error) {
	s, err := open(ctx, &t)
	if err != nil {
		return nil, err
	}
	defer s.close(ctx)
	p := &probe{session: s, ctx: ctx, found: &models.BMC{Address: s.url, Read: now()}}
	if err := p.findSystem(); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		name string
		read func() error
	}{
		{"system", p.readSystem},
		{"controller", p.readController},
		{"secure boot", p.readSecureBoot},
		{"virtual media", p.readMedia},
		{"drives", p.readDrives},
		{"network", p.readNICs},
		{"processors", p.readProcessors},
		{"memory", p.readMemory},
		{"sensors", p.readSensors},
		{"logs", p.readLogs},
		{"BIOS settings", p.readBIOS},
		{"jobs", p.readJobs},
	} {
		if err := part.read(); err != nil {
			p.unread(part.name, err)
		}
	}
	p.causes()
	if ctx.Err() != nil {
		return nil, s.fault("ask the BMC", ctx.Err())
	}
	return p.found, nil
}

// probe is one look at a controller.
type probe struct {
	*session
	ctx     context.Context //nolint:containedctx // it lives as long as one call of Probe
	found   *models.BMC
	system  *schemas.ComputerSystem
	manager *schemas.Manager
}

// unread notes why a part could not be read. What could be read of it stays.
func (p *probe) unread(part string, err error) {
	why := p.fault("", err).Reason()
	var some *schemas.CollectionError
	if errors.As(err, &some) {
		why = fmt.Sprintf("%d of it: %s", len(some.Failures), why)
	}
	p.found.Unread = append(p.found.Unread, models.BMCUnread{Part: part, Why: p.safe(why)})
}

// findSystem picks the machine: the only one, or the one at the target's path.
func (p *probe) findSystem() error {
	systems, err := p.client.Service.Systems()
	if err != nil && len(systems) == 0 {
		return p.fault("list the systems of the BMC", err)
	}
	wanted := p.target.place()
	for _, s := range systems {
		p.found.System.Paths = append(p.found.System.Paths, s.ODataID)
		if wanted == "" && len(systems) == 1 || wanted != "" && strings.TrimRight(s.ODataID, "/") == wanted {
			p.system = s
		}
	}
	switch {
	case p.system != nil:
		return nil
	case len(systems) == 0:
		return &models.Fault{Kind: models.FaultNotFound, Op: "find the system", URL: p.url, Message: "this BMC has no system"}
	case wanted == "":
		return &models.Fault{
			Kind: models.FaultNotFound, Op: "find the system", URL: p.url,
			Message: p.safe(fmt.Sprintf("this BMC has %d systems: %s", len(systems), strings.Join(p.found.System.Paths, ", "))), Hint: "say which one: --system",
		}
	}
	return &models.Fault{
		Kind: models.FaultNotFound, Op: "find the system", URL: p.url,
		Message: p.safe(fmt.Sprintf("there is no system %s: there is %s", wanted, strings.Join(p.found.System.Paths, ", "))),
		Hint:    "redfish_system_id in driver_info says which one Ironic takes",
	}
}

func health(h schemas.Health) models.BMCHealth { return models.BMCHealth(h) }

func (p *probe) readSystem() error {
	s, out := p.system, p.found
	out.System = models.BMCSystem{
		Path: s.ODataID, Paths: out.System.Paths, Manufacturer: s.Manufacturer, Model: s.Model, SKU: s.SKU, Serial: s.SerialNumber,
		UUID: s.UUID, HostName: s.HostName, BIOS: s.BiosVersion, Power: string(s.PowerState),
		Progress: string(s.BootProgress.LastState), ProgressAt: s.BootProgress.LastStateTime,
		Health: health(s.Status.Health), Rollup: health(s.Status.HealthRollup),
	}
	out.Boot = models.BMCBoot{
		Target: string(s.Boot.BootSourceOverrideTarget), Enabled: string(s.Boot.BootSourceOverrideEnabled), Mode: string(s.Boot.BootSourceOverrideMode),
		Order: s.Boot.BootOrder,
	}
	for _, a := range s.Boot.AllowableBootSourceOverrideTargetValues {
		out.Boot.Allowed = append(out.Boot.Allowed, string(a))
	}
	return nil
}

func (p *probe) readController() error {
	managers, err := p.system.ManagedBy()
	if len(managers) == 0 {
		managers, err = p.client.Service.Managers()
	}
	if len(managers) == 0 {
		return err
	}
	p.manager = managers[0]
	p.found.Controller = models.BMCController{
		Model: p.manager.Model, Firmware: p.manager.FirmwareVersion, Redfish: p.client.Service.RedfishVersion, Clock: p.manager.DateTime,
		Health: health(p.manager.Status.Health),
	}
	return nil
}

func (p *probe) readSecureBoot() error {
	s, err := p.system.SecureBoot()
	if s == nil || err != nil {
		return err
	}
	p.found.Boot.SecureBoot = "Disabled"
	if s.SecureBootCurrentBoot != "" {
		p.found.Boot.SecureBoot = string(s.SecureBootCurrentBoot)
	} else if s.SecureBootEnable {
		p.found.Boot.SecureBoot = "Enabled"
	}
	return nil
}

// readMedia reads the slots of the controller, or of the system where those are.
func (p *probe) readMedia() error {
	var media []*schemas.VirtualMedia
	var err error
	if p.manager != nil {
		media, err = p.manager.VirtualMedia()
	}
	if len(media) == 0 {
		more, err2 := p.system.VirtualMedia()
		media, err = more, errors.Join(err, err2)
	}
	for _, m := range media {
		slot := models.BMCMedia{ID: m.ID, Image: models.MaskURL(m.Image), Inserted: m.Inserted != nil && *m.Inserted, Via: string(m.ConnectedVia)}
		for _, t := range m.MediaTypes {
			slot.Types = append(slot.Types, string(t))
		}
		p.found.Media = append(p.found.Media, slot)
	}
	return err
}
