// Package lab simulates machines for demos and tests. Each is a [machine.Machine] that runs an agent when it boots a
// deploy ramdisk. A [Scenario] describes its faults.
//
//	l, err := lab.Start(ctx, lab.Options{IronicURL: "http://127.0.0.1:6385", Speed: 10}, lab.Cast(12))
//	…
//	l.Close()
//
// A real or an embedded Ironic sees the machines' BMCs, the downloads of images, and the protocol of
// ironic-python-agent.
package lab

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"ironworks/lab/machine"
)

// The versions of the agents that belong to the two supported releases of Ironic.
const (
	NewestAgent = "13.0.0"
	OldAgent    = "9.4.2"
)

// Image is a file that can be read concurrently, such as a live ISO.
type Image interface {
	io.ReaderAt
	// Size returns the size in bytes.
	Size() int64
}

// Options holds the settings of a lab.
type Options struct {
	// IronicURL is Ironic's URL, such as http://127.0.0.1:6385, for agents whose ramdisk does not specify one.
	IronicURL string
	// Client calls Ironic and fetches images; nil means a client with reasonable timeouts.
	Client *http.Client
	// Host is the address of the BMCs and of the image server; empty means 127.0.0.1.
	Host string
	// BMCPort is the port of a shared BMC; 0 selects a free one.
	BMCPort int
	// OneBMC serves all machines at one address, like the BMC of an enclosure. Otherwise, each has its own address.
	OneBMC bool
	// BMCOverTLS serves Redfish over HTTPS with a self-signed certificate.
	BMCOverTLS bool
	// PlainAgents makes agents serve plain HTTP, for an Ironic server with [agent] require_tls = false.
	PlainAgents bool
	// Agent is the version of the agent in the ramdisk; empty means NewestAgent.
	Agent string
	// AgentCommand is a program, with its arguments, that runs on the machines instead of the lab's own agent; see
	// package external. If it is nil, the lab's own agent runs.
	AgentCommand []string
	// SSHPort is the port at which the ramdisks listen for SSH, at their agent's address, such as 127.18.0.1. Because
	// these differ, SSH needs Linux, where 127.0.0.0/8 belongs to this computer. 0 disables SSH.
	SSHPort int
	// Speed divides all durations; zero means 1.
	Speed float64
	// Ramdisk is the image that the lab serves; nil means a [LiveISO].
	Ramdisk Image
	// Virtual runs the machines in QEMU, which needs Linux. If it is nil, the machines are simulated.
	Virtual *VirtualOptions
	// Dir is the folder for the images that machines fetch; empty means the system's temporary folder.
	Dir string
	// OnEvent receives the machines' events. It is called from several goroutines.
	OnEvent func(machine.Event)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Lab consists of machines, their BMCs and a server for their ramdisk.
type Lab struct {
	options      Options
	machines     []*Machine
	byName       map[string]*Machine
	images       string // the URL of the image server
	bmcPort      int    // port of the shared BMC
	started      time.Time
	end          context.CancelFunc
	serving      sync.WaitGroup
	shared       map[string][]*Machine // the machines that share a disk, by its WWN
	sharedDiskMu sync.Mutex            // only one machine writes a shared disk at a time
}

// Start starts a lab of machines that are off. The context applies only to the start. The caller must call Close.
func Start(ctx context.Context, options Options, members []Member) (*Lab, error) {
	if err := checkMembers(members); err != nil {
		return nil, fmt.Errorf("starting the lab: %w", err)
	}
	if err := options.complete(); err != nil {
		return nil, fmt.Errorf("starting the lab: %w", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &Lab{options: options, byName: map[string]*Machine{}, shared: map[string][]*Machine{}, end: cancel, started: options.Now()}
	err := l.addMachines(ctx, members)
	if err == nil && options.Virtual != nil {
		err = errors.Join(l.checkForwards(ctx), l.serveSerial(ctx))
	}
	if err == nil {
		err = l.serve(ctx)
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("starting the lab: %w", err)
	}
	return l, nil
}

func (o *Options) complete() error {
	if o.Speed < 0 {
		return fmt.Errorf("speed %g is negative", o.Speed)
	}
	o.Speed, o.Host, o.Agent = cmp.Or(o.Speed, 1), cmp.Or(o.Host, "127.0.0.1"), cmp.Or(o.Agent, NewestAgent)
	if o.SSHPort < 0 || o.SSHPort > 65535 {
		return fmt.Errorf("invalid SSH port %d", o.SSHPort)
	}
	if net.ParseIP(o.Host) == nil {
		return fmt.Errorf("host %q is not an IP address", o.Host)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.OnEvent == nil {
		o.OnEvent = func(machine.Event) {}
	}
	if o.Client == nil {
		o.Client = newClient()
	}
	if o.Ramdisk == nil {
		image, err := LiveISO(nil)
		if err != nil {
			return err
		}
		o.Ramdisk = bytes.NewReader(image)
	}
	return nil
}

// newClient returns a client with a timeout for response headers, but not for the body.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		ResponseHeaderTimeout: time.Minute, MaxIdleConnsPerHost: 32, IdleConnTimeout: 30 * time.Second,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}}
}

func (l *Lab) addMachines(ctx context.Context, members []Member) error {
	taken := map[string]bool{}
	for i, member := range members {
		if l.options.Virtual != nil {
			member.virtual(l.options.Virtual, taken)
		}
		if err := member.complete(taken); err != nil {
			return err
		}
		m := &Machine{member: member, lab: l, number: i}
		p := m.pace()
		spec := member.spec(BMCPassword)
		options := machine.Options{
			PowerOnTime: p.of(powerOnTime), PowerOffTime: p.of(powerOffTime), ShutdownTime: p.of(shutdownTime),
			FirmwareTime: max(p.of(firmwareTime), minBoot), BMCRestartTime: p.of(bmcRestart), UpdateTime: p.of(updateTime),
			Ramdisk: m.runRamdisk, Client: l.options.Client, Dir: l.options.Dir, OnEvent: l.options.OnEvent, Now: l.options.Now,
		}
		if l.options.Virtual != nil {
			if err := l.virtualize(ctx, m, &spec, &options); err != nil {
				return err
			}
		}
		hardware, err := machine.New(spec, options)
		if err != nil {
			return err
		}
		hardware.SetFaults(member.Scenario.BMC)
		m.Machine = hardware
		l.machines = append(l.machines, m)
		l.byName[member.Name] = m
		if wwn := member.Scenario.SharedDisk; wwn != "" {
			l.shared[wwn] = append(l.shared[wwn], m)
		}
	}
	return nil
}

// Machines returns all machines, in the order of the members passed to [Start].
func (l *Lab) Machines() []*Machine { return slices.Clone(l.machines) }

// Machine returns the machine with the given name.
func (l *Lab) Machine(name string) (*Machine, bool) {
	m, found := l.byName[name]
	return m, found
}

// RamdiskURL returns the URL of the lab's deploy ISO.
func (l *Lab) RamdiskURL() string { return l.images + "/ramdisk.iso" }

// Close powers all machines off, stops the servers, and waits until all goroutines have ended.
func (l *Lab) Close() {
	l.end()
	var closing sync.WaitGroup
	for _, m := range l.machines {
		closing.Go(m.Close)
	}
	closing.Wait()
	l.serving.Wait()
	l.options.Client.CloseIdleConnections()
}

// serve starts the image server and the BMCs.
func (l *Lab) serve(ctx context.Context) error {
	listener, err := l.listen(ctx, 0)
	if err != nil {
		return fmt.Errorf("serving the ramdisk: %w", err)
	}
	l.images = "http://" + listener.Addr().String()
	serveHTTP(ctx, &l.serving, listener, http.HandlerFunc(l.serveRamdisk))
	if !l.options.OneBMC {
		for _, m := range l.machines {
			if err := l.serveBMC(ctx, 0, m); err != nil {
				return err
			}
		}
		return nil
	}
	return l.serveBMC(ctx, l.options.BMCPort, l.machines...)
}

func (l *Lab) listen(ctx context.Context, port int) (net.Listener, error) {
	return listen(ctx, net.JoinHostPort(l.options.Host, fmt.Sprint(port)))
}

func (l *Lab) serveRamdisk(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/ramdisk.iso" {
		http.NotFound(w, r)
		return
	}
	// Conductors cache an image as long as this time does not change.
	http.ServeContent(w, r, "ramdisk.iso", l.started, io.NewSectionReader(l.options.Ramdisk, 0, l.options.Ramdisk.Size()))
}

func (l *Lab) serveBMC(ctx context.Context, port int, machines ...*Machine) error {
	listener, err := l.listen(ctx, port)
	if err != nil {
		return fmt.Errorf("starting a BMC: %w", err)
	}
	hardware := make([]*machine.Machine, len(machines))
	scheme := "http"
	serve := (*machine.Rack).Serve
	if l.options.BMCOverTLS {
		certificate, err := machine.NewCertificate(l.options.Now(), l.options.Host)
		if err != nil {
			return errors.Join(fmt.Errorf("starting a BMC: %w", err), listener.Close())
		}
		scheme = "https"
		serve = func(r *machine.Rack, ctx context.Context, listener net.Listener) error {
			return r.ServeTLS(ctx, listener, certificate)
		}
	}
	for i, m := range machines {
		hardware[i] = m.Machine
		m.bmc = scheme + "://" + listener.Addr().String()
	}
	if address, ok := listener.Addr().(*net.TCPAddr); ok {
		l.bmcPort = address.Port
	}
	rack, err := machine.NewRack(l.options.Now, hardware...)
	if err != nil {
		return errors.Join(fmt.Errorf("starting a BMC: %w", err), listener.Close())
	}
	l.serving.Go(func() { _ = serve(rack, ctx, listener) })
	return nil
}

// onSharedDisk calls do for each machine that shares the disk, with the disk's name on that machine.
func (l *Lab) onSharedDisk(m *Machine, disk machine.Disk, do func(m *machine.Machine, name string) error) error {
	peers := l.shared[disk.WWN]
	if len(peers) == 0 {
		return do(m.Machine, disk.Name)
	}
	l.sharedDiskMu.Lock()
	defer l.sharedDiskMu.Unlock()
	for _, peer := range peers {
		for _, theirs := range peer.Disks() {
			if theirs.WWN != disk.WWN {
				continue
			}
			if err := do(peer.Machine, theirs.Name); err != nil {
				return err
			}
		}
	}
	return nil
}
