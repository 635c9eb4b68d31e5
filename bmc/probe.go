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

// maxEntries is the maximum number of entries that are read from each log.
const maxEntries = 50

// Probe reads all data about a machine from its controller, part by part, for at most two minutes. Parts that could
// not be read are listed in Unread. An error, which is a *models.Fault, means that nothing could be read. The Read
// field holds the start time according to the console's clock.
func Probe(ctx context.Context, t Target) (*models.BMC, error) {
	whole, cancel := context.WithTimeout(ctx, t.limits.withDefaults().total)
	defer cancel()
	s, err := open(whole, &t)
	if err != nil {
		return nil, err
	}
	defer s.close(ctx)
	p := &probe{server: server{session: s}, found: &models.BMC{Address: s.url, Read: time.Now()}}
	if err := p.findSystem(whole); err != nil {
		return nil, err
	}
	for _, part := range p.parts() {
		p.read(whole, part)
	}
	if ctx.Err() != nil {
		return nil, s.fault("query the BMC", ctx.Err())
	}
	p.causes()
	p.scrub(p.found)
	return p.found, nil
}

// Identify reads the data that enrollment needs about each system behind a BMC: identity, power, health, NICs and
// virtual media. It skips systems that cannot be read. If it can read none, it returns a *models.Fault.
func Identify(ctx context.Context, t Target) ([]models.BMC, error) {
	whole, cancel := context.WithTimeout(ctx, t.limits.withDefaults().total)
	defer cancel()
	s, err := open(whole, &t)
	if err != nil {
		return nil, err
	}
	defer s.close(ctx)
	all := server{session: s}
	if err := all.listSystems(whole); err != nil {
		return nil, err
	}
	wanted := t.systemPath()
	var found []models.BMC
	for _, path := range all.paths {
		if wanted != "" && !strings.EqualFold(strings.TrimRight(path, "/"), wanted) {
			continue
		}
		p := &probe{server: server{session: s, paths: all.paths}, found: &models.BMC{Address: s.url, Read: time.Now()}}
		if err = p.readSystemAt(whole, path); err != nil {
			continue
		}
		for _, part := range p.parts() {
			if slices.Contains([]string{"system", "controller", "virtual media", "network"}, part.name) {
				p.read(whole, part)
			}
		}
		p.scrub(p.found)
		found = append(found, *p.found)
	}
	switch {
	case ctx.Err() != nil:
		return nil, s.fault(asking, ctx.Err())
	case len(found) == 0 && err != nil:
		return nil, err
	case len(found) == 0:
		return nil, all.noSystem(wanted)
	}
	return found, nil
}

// probe holds the state while all data about a machine is read from its controller.
type probe struct {
	server
	found   *models.BMC
	manager *manager
	// chassis holds the machine's chassis. They are read once, because several parts need them.
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

// read reads a part within the part's time limit. A part that cannot be read is added to the unread parts.
func (p *probe) read(whole context.Context, part part) {
	if whole.Err() != nil {
		p.addUnread(part.name, "skipped: the BMC is too slow")
		return
	}
	ctx, cancel := context.WithTimeout(whole, p.limits.probePart)
	defer cancel()
	err := part.read(ctx)
	if err != nil {
		p.addUnread(part.name, p.summary(err))
	}
	for i, wrong := range p.typeErrors {
		if i == 3 {
			p.addUnread(part.name, "and more")
			break
		}
		p.addUnread(part.name, wrong.Error())
	}
	p.typeErrors = nil
}

// summary returns a short text about err: for several resources, the number of failures and the first reason.
func (p *probe) summary(err error) string {
	var words []string
	var walk func(error)
	walk = func(err error) {
		switch e := err.(type) { //nolint:errorlint // the tree is walked
		case interface{ Unwrap() []error }:
			for _, one := range e.Unwrap() {
				walk(one)
			}
		case *partialError:
			words = append(words, fmt.Sprintf("%d failed: %s", e.failed, p.reason(e.first)))
		default:
			words = append(words, p.reason(err))
		}
	}
	walk(err)
	words = models.Unique(words) // a missing resource is often referenced several times
	const most = 4
	if len(words) > most {
		words = append(words[:most], "…")
	}
	return strings.Join(words, "; ")
}

// reason returns the text of a single error, with the name of the resource that it concerns.
func (p *probe) reason(err error) string {
	var own *ownError
	var at *unreadableError
	switch {
	case errors.As(err, &own):
		return err.Error()
	case errors.As(err, &at):
		return last(at.at) + ": " + p.fault("", err).Reason()
	}
	return p.fault("", err).Reason()
}

func (p *probe) addUnread(part, why string) {
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

// health converts the name of a Redfish health state to a BMCHealth. It returns "" for an unknown name.
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
	var secure struct {
		Enable  *bool  `json:"SecureBootEnable"`
		Current string `json:"SecureBootCurrentBoot"`
	}
	if err := p.getLinked(ctx, p.system.SecureBoot, &secure); err != nil {
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

// readMedia reads the virtual media slots, and the protocols with which images can be fetched for each slot.
func (p *probe) readMedia(ctx context.Context) error {
	slots, err := p.slots(ctx, p.manager)
	for i := range slots {
		s := &slots[i]
		protocols, failed := p.imageProtocols(ctx, s)
		err = errors.Join(err, failed)
		p.found.Media = append(p.found.Media, models.BMCMedia{
			ID: s.ID, Types: s.MediaTypes, Image: models.MaskURL(s.Image), Inserted: s.inserted(), Via: s.ConnectedVia, Protocols: protocols,
		})
	}
	return err
}

// Verify checks only that a controller accepts the credentials. The error is a *models.Fault.
func Verify(ctx context.Context, t Target) error {
	s, err := open(ctx, &t)
	if err != nil {
		return err
	}
	defer s.close(ctx)
	// Read the systems, because the service root is readable without credentials.
	if _, err := s.client.Service.Systems(); err != nil {
		return s.fault(loggingIn, err)
	}
	return nil
}

// chassis holds the fields of a Redfish Chassis.
type chassis struct {
	resource
	Thermal, Power, ThermalSubsystem, PowerSubsystem, Sensors, EnvironmentMetrics ref
	NetworkAdapters, Drives                                                       ref

	Links struct{ Drives []ref }
}

// readChassis returns the chassis that the system links to or, without links, all chassis if there is one machine only.
func (p *probe) readChassis(ctx context.Context) ([]chassis, error) {
	if p.chassisRead {
		return p.chassis, nil
	}
	var err error
	if links := p.system.Links.Chassis; len(links) > 0 {
		p.chassis, err = readLinked[chassis](ctx, p.session, links, mostChassis)
	} else if len(p.paths) == 1 {
		p.chassis, err = members[chassis](ctx, p.session, p.root.Chassis, mostChassis)
	}
	p.chassisRead = err == nil || len(p.chassis) > 0
	return p.chassis, err
}
