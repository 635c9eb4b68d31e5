package lab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"ironworks/lab/machine"
)

// SiteOptions holds the settings of a site.
type SiteOptions struct {
	Members []Member
	// Ironic controls the machines; nil means an embedded one.
	Ironic *OtherIronic
	// Listen is the address of the embedded Ironic's API; empty means a free port of 127.0.0.1.
	Listen string
	// Speed divides all durations; zero means 1.
	Speed float64
	// SSHPort is the same as in [Options].
	SSHPort int
	// RamdiskFor returns the ramdisk for [Options], which may depend on Ironic's URL; nil means the lab's own ramdisk.
	RamdiskFor func(ironicURL string) (Image, error)
	// Virtual is the same as in [Options].
	Virtual *VirtualOptions
	// Dir is the folder for the database and the contents of the disks. If it is empty, both are in memory only.
	Dir string
	// Story starts some operations on the lab's machines. The documentation describes these operations.
	Story bool
	// OnEvent is called with each event of a machine, from several goroutines. It may be nil.
	OnEvent func(machine.Event)
	// OnError receives errors that occur during the start or later.
	OnError func(error)
}

// OtherIronic is an Ironic server that replaces the embedded one. It must not require authentication, and runs for as
// long as the site does.
type OtherIronic struct {
	// Name identifies the server, because two servers must not share a folder.
	Name string
	// APIVersion is the API version that the site uses, such as 1.115.
	APIVersion string
	// Agent is the version of the agent that the server supports.
	Agent string
	// Interfaces contains the interfaces of the nodes besides those for Redfish, such as {"deploy": "custom-agent"}.
	Interfaces map[string]string
	// Start starts the server. It returns the URL of the API, without /v1, and a function that stops the server.
	Start func(ctx context.Context) (url string, end func() error, err error)
}

// Site is a lab together with its Ironic. It needs no other service, and uses only addresses of this computer.
type Site struct {
	// URL is the URL of Ironic's API, without /v1.
	URL string
	Lab *Lab
	// Ironic is the embedded Ironic. It is nil if the site uses another one.
	Ironic *Ironic

	options   SiteOptions
	http      *client
	endIronic func() error
	end       context.CancelFunc
	running   sync.WaitGroup
}

// StartSite starts a site, and returns when the first machines are enrolled. The others are enrolled in the background.
func StartSite(ctx context.Context, options SiteOptions) (_ *Site, err error) {
	if options.OnError == nil {
		options.OnError = func(error) {}
	}
	s := &Site{options: options}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	s.end = end
	defer func() {
		if err != nil {
			err = fmt.Errorf("starting the lab: %w", errors.Join(err, s.Close()))
		}
	}()
	var before saved
	if options.Dir != "" {
		if err := os.MkdirAll(options.Dir, 0o700); err != nil {
			return nil, fmt.Errorf("keeping its state: %w", err)
		}
		if before, err = loadMachines(options.Dir, options.ironicName()); err != nil {
			return nil, err
		}
	}
	changed := make(chan struct{}, 1)
	if err := s.startIronic(ctx); err != nil {
		return nil, err
	}
	labOptions := Options{
		IronicURL: s.URL, Agent: s.options.Ironic.Agent, Speed: options.Speed, OneBMC: true, BMCPort: before.BMCPort, SSHPort: options.SSHPort,
		Virtual: options.Virtual,
		OnEvent: func(e machine.Event) {
			noteChange(e, changed)
			if options.OnEvent != nil {
				options.OnEvent(e)
			}
		},
	}
	if options.RamdiskFor != nil {
		if labOptions.Ramdisk, err = options.RamdiskFor(s.URL); err != nil {
			return nil, err
		}
	}
	if s.Lab, err = Start(ctx, labOptions, options.Members); err != nil && before.BMCPort != 0 {
		labOptions.BMCPort = 0 // the port is in use now
		s.Lab, err = Start(ctx, labOptions, options.Members)
	}
	if err != nil {
		return nil, err
	}
	for name, contents := range before.Contents {
		if m, found := s.Lab.Machine(name); found {
			m.Restore(contents)
		}
	}
	if options.Dir != "" {
		s.running.Go(func() { s.reportError(life, s.Lab.keepSaving(life, options.Dir, options.ironicName(), changed)) })
	}
	machines := s.Lab.Machines()
	first := min(len(machines), firstMachines)
	fresh := s.enroll(ctx, machines[:first])
	if options.Story {
		s.running.Go(func() { playStories(life, s.http, fresh) })
	}
	s.running.Go(func() { s.enroll(life, machines[first:]) })
	return s, nil
}

// ironicName returns the name that identifies the site's Ironic. It is empty for the embedded one.
func (o *SiteOptions) ironicName() string {
	if o.Ironic == nil {
		return ""
	}
	return o.Ironic.Name
}

// startIronic starts the configured Ironic, or an embedded one if none is configured. After that, the site uses both
// kinds in the same way.
func (s *Site) startIronic(ctx context.Context) (err error) {
	if s.options.Ironic == nil {
		s.options.Ironic = &OtherIronic{
			APIVersion: apiVersion, Agent: NewestAgent, Start: s.startEmbedded,
			Interfaces: map[string]string{"deploy": "custom-agent", "inspect": "agent", "rescue": "agent"},
		}
		if s.options.Virtual != nil {
			s.options.Ironic.Interfaces["console"] = "ipmitool-socat"
		}
	}
	if s.URL, s.endIronic, err = s.options.Ironic.Start(ctx); err != nil {
		return err
	}
	s.http = &client{base: s.URL, version: s.options.Ironic.APIVersion, http: newClient()}
	if s.Ironic != nil {
		s.http.http = &http.Client{Transport: localTransport{s.Ironic.api}}
	}
	return nil
}

func (s *Site) startEmbedded(ctx context.Context) (url string, end func() error, err error) {
	options := IronicOptions{Listen: s.options.Listen, Speed: s.options.Speed, SerialConsoles: s.options.Virtual != nil, Firmware: true}
	options.RAID = hasRAID(s.options.Members)
	if s.options.Dir != "" {
		options.Dir = filepath.Join(s.options.Dir, "ironic")
	}
	if s.Ironic, err = StartIronic(ctx, options); err != nil {
		return "", nil, err
	}
	return s.Ironic.URL, s.Ironic.Close, nil
}

// firstMachines is the number of machines that StartSite enrolls before it returns. They are the whole cast.
const firstMachines = 12

// noteChange sends a signal to the changed channel if the event means that the contents of disks have changed.
func noteChange(e machine.Event, changed chan<- struct{}) {
	switch e.Kind {
	case machine.DiskInstalled, machine.DiskWiped, machine.PowerChanged: // PowerChanged, because arrays are created before the power goes off
	default:
		return
	}
	select {
	case changed <- struct{}{}:
	default:
	}
}

func (s *Site) reportError(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		s.options.OnError(err)
	}
}

// enroll creates missing nodes, and updates the BMC addresses of existing nodes. It creates the ports of a node while it
// creates the next node. It returns the names of the created nodes.
func (s *Site) enroll(ctx context.Context, machines []*Machine) (made []string) {
	there, err := s.http.names(ctx)
	if err != nil {
		s.reportError(ctx, err)
		return nil
	}
	var ports sync.WaitGroup // the creation of a node's ports
	defer ports.Wait()
	for _, m := range machines {
		if there[m.Name()] {
			s.reportError(ctx, s.http.setDriverInfo(ctx, m.Name(), m.DriverInfo()))
			continue
		}
		e := m.Enrollment("site", s.options.Ironic.Interfaces)
		if s.options.Story && stories[m.Name()] != nil {
			e.skipSlowSteps(m.Name())
		}
		made = append(made, m.Name())
		uuid, err := s.http.CreateNode(ctx, e.Node)
		if err != nil {
			s.reportError(ctx, fmt.Errorf("enrolling machine %s: %w", m.Name(), err))
		} else {
			ports.Wait()
			ports.Go(func() { s.reportError(ctx, m.createPorts(ctx, s.http, uuid, e.Ports)) })
		}
		if s.Ironic == nil {
			ports.Wait() // a real Ironic's database accepts only one change at a time
		}
		if ctx.Err() != nil {
			break
		}
	}
	return made
}

// Close powers the machines off, saves the state of the site, and stops all its servers.
func (s *Site) Close() error {
	s.end()
	s.running.Wait()
	var err error
	if s.endIronic != nil {
		err = s.endIronic()
	}
	if s.Lab != nil {
		s.Lab.Close()
	}
	if s.http != nil {
		s.http.http.CloseIdleConnections()
	}
	if err != nil {
		return fmt.Errorf("ending the lab: %w", err)
	}
	return nil
}
