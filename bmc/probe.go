package bmc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// MostEntries is how many entries of each log are told, the newest ones.
const MostEntries = 50

// Probe asks a controller for all that it tells of its machine, part by part, for two
// minutes at most. A part that cannot be read is in Unread; an error is a *models.Fault,
// and says that nothing could. The clock is the console's.
func Probe(ctx context.Context, t Target, now func() time.Time) (*models.BMC, error) {
	whole, cancel := context.WithTimeout(ctx, t.limits.or().whole)
	defer cancel()
	s, err := open(whole, &t)
	if err != nil {
		return nil, err
	}
	defer s.close(ctx)
	p := &probe{server: server{session: s}, found: &models.BMC{Address: s.url, Read: now()}}
	if err := p.findSystem(whole); err != nil {
		return nil, err
	}
	for _, part := range p.parts() {
		p.read(whole, part)
	}
	if ctx.Err() != nil {
		return nil, s.fault("ask the BMC", ctx.Err())
	}
	p.causes()
	p.scrub(p.found)
	return p.found, nil
}

// probe is one look at a controller.
type probe struct {
	server
	found   *models.BMC
	manager *manager
	// chassis are read once, for several parts.
	chassis     []chassis
	chassisRead bool
}

type part struct {
	name string
	read func(context.Context) error
}

func (p *probe) parts() []part {
	return []part{
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
		{"consoles", p.readConsoles},
	}
}

// read reads a part within its time, and notes what of it could not be read.
func (p *probe) read(whole context.Context, part part) {
	if whole.Err() != nil {
		p.unread(part.name, "not asked for: the BMC is too slow, and there was no time left")
		return
	}
	ctx, cancel := context.WithTimeout(whole, p.limits.part)
	defer cancel()
	err := part.read(ctx)
	if err != nil {
		p.unread(part.name, p.why(err))
	}
	for i, wrong := range p.wrong {
		if i == 3 {
			p.unread(part.name, "and more")
			break
		}
		p.unread(part.name, wrong.Error())
	}
	p.wrong = nil
}

// why is an error in a few words: the counts of what failed, and the first reasons.
func (p *probe) why(err error) string {
	var words []string
	var walk func(error)
	walk = func(err error) {
		switch e := err.(type) { //nolint:errorlint // what is inside is walked
		case interface{ Unwrap() []error }:
			for _, one := range e.Unwrap() {
				walk(one)
			}
		case *partial:
			words = append(words, fmt.Sprintf("%d of it: %s", e.failed, p.reason(e.first)))
		default:
			words = append(words, p.reason(err))
		}
	}
	walk(err)
	words = unique(words)
	const most = 4
	if len(words) > most {
		words = append(words[:most], "…")
	}
	return strings.Join(words, "; ")
}

// unique leaves out what was said before: one that is missing is often missing at several
// places.
func unique(words []string) []string {
	var out []string
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// reason is one error, with the resource that it is about.
func (p *probe) reason(err error) string {
	if isOurs(err) {
		return err.Error()
	}
	var at *unreadable
	if errors.As(err, &at) {
		return last(at.at) + ": " + p.fault("", err).Reason()
	}
	return p.fault("", err).Reason()
}

func (p *probe) unread(part, why string) {
	p.found.Unread = append(p.found.Unread, models.BMCUnread{Part: part, Why: p.safe(why)})
}

func (p *probe) readSystem(ctx context.Context) error {
	s, out := p.system, p.found
	out.System = models.BMCSystem{
		Path: s.ref.ID, Paths: p.paths, Manufacturer: s.Manufacturer, Model: s.Model, SKU: s.SKU, Serial: s.SerialNumber,
		UUID: s.UUID, HostName: s.HostName, BIOS: s.BiosVersion, Power: s.PowerState,
		Progress: s.BootProgress.LastState, ProgressAt: s.BootProgress.LastStateTime,
		Health: health(s.Status.Health), Rollup: health(s.Status.HealthRollup),
	}
	out.Boot = models.BMCBoot{Target: s.Boot.Target, Enabled: s.Boot.Enabled, Mode: s.Boot.Mode, Allowed: s.Boot.Allowed, Order: s.Boot.Order}
	if s.Actions.Reset == nil {
		return nil
	}
	var err error
	out.Resets, err = p.resets(ctx, *s.Actions.Reset)
	return err
}

// health is one that Redfish has, in its own letters; another is none.
func health(text string) models.BMCHealth {
	for _, h := range []models.BMCHealth{models.BMCHealthOK, models.BMCHealthWarning, models.BMCHealthCritical} {
		if strings.EqualFold(text, string(h)) {
			return h
		}
	}
	return ""
}

func (p *probe) readController(ctx context.Context) error {
	found, err := p.findManager(ctx)
	p.found.Controller.Redfish = p.root.RedfishVersion
	if found == nil {
		return err
	}
	p.manager = found
	p.found.Controller = models.BMCController{
		Model: found.Model, Firmware: found.FirmwareVersion, Redfish: p.root.RedfishVersion, Clock: found.DateTime, Health: health(found.Status.Health),
	}
	return err
}

func (p *probe) readSecureBoot(ctx context.Context) error {
	if p.system.SecureBoot.ID == "" {
		return nil
	}
	var secure struct {
		Enable  *bool  `json:"SecureBootEnable"`
		Current string `json:"SecureBootCurrentBoot"`
	}
	if err := p.get(ctx, p.system.SecureBoot.ID, &secure); err != nil {
		return err
	}
	switch {
	case secure.Current != "":
		p.found.Boot.SecureBoot = secure.Current
	case secure.Enable != nil && *secure.Enable:
		p.found.Boot.SecureBoot = "Enabled"
	case secure.Enable != nil:
		p.found.Boot.SecureBoot = "Disabled"
	}
	return nil
}

// readMedia reads the slots, and what each can fetch.
func (p *probe) readMedia(ctx context.Context) error {
	slots, err := p.slots(ctx, p.manager)
	for i := range slots {
		s := &slots[i]
		protocols, failed := p.fetches(ctx, s)
		err = errors.Join(err, failed)
		p.found.Media = append(p.found.Media, models.BMCMedia{
			ID: s.ID, Types: s.MediaTypes, Image: models.MaskURL(s.Image), Inserted: s.full(), Via: s.ConnectedVia, Protocols: protocols,
		})
	}
	return err
}
