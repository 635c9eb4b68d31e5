package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Options describe a machine.
type Options struct {
	// IronicURL is where the agent finds Ironic, without /v1.
	IronicURL string
	// Client calls Ironic; needed if that has a certificate of its own
	// authority.
	Client *http.Client
	// Name is the Redfish system id, MAC the address of the only network
	// interface.
	Name, MAC string
	// Username and Password are what the BMC asks for; admin and password by
	// default.
	Username, Password string

	// BootDuration passes between power-on and the agent's first call,
	// InstallDuration is what every step takes. Half a second each by default.
	BootDuration, InstallDuration time.Duration

	// InstallError makes install_coreos fail with this message.
	InstallError string
	// NeverBoots keeps the agent from appearing.
	NeverBoots bool
	// Logf receives what happens, if set. It is called from other goroutines
	// until Close returns.
	Logf func(format string, args ...any)
}

// Command is one that the conductor sent to the agent.
type Command struct {
	// Name is the full one: deploy.execute_deploy_step.
	Name   string
	Params map[string]json.RawMessage
}

// Step is the name of the step of an execute command, else empty.
func (c Command) Step() string {
	var step struct {
		Step string `json:"step"`
	}
	_ = json.Unmarshal(c.Params["step"], &step)
	return step.Step
}

// Machine is an emulated machine.
type Machine struct {
	// URL is the address of the BMC.
	URL string

	options Options
	server  *http.Server
	root    context.Context //nolint:containedctx // the life of the machine
	end     context.CancelFunc
	work    sync.WaitGroup

	mu       sync.Mutex
	on       bool
	off      context.CancelFunc // ends what runs while the machine is on
	boot     bootOverride
	image    string // URL of the inserted medium
	sessions map[string]bool
	commands []Command
	installs int

	logging sync.Mutex // leaf: taken with or without mu
	closed  bool
}

// bootOverride is the one-time or lasting choice of the boot device.
type bootOverride struct {
	Target  string `json:"BootSourceOverrideTarget"`
	Enabled string `json:"BootSourceOverrideEnabled"`
	Mode    string `json:"BootSourceOverrideMode"`
}

// Start starts the BMC of a machine that is powered off. The context bounds
// the start only.
func Start(ctx context.Context, options Options) (*Machine, error) {
	if options.IronicURL == "" || options.MAC == "" {
		return nil, errors.New("starting a machine: IronicURL and MAC are needed")
	}
	options.defaults()
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the BMC: %w", err)
	}
	m := &Machine{
		URL: "http://" + l.Addr().String(), options: options,
		boot: bootOverride{Target: "None", Enabled: "Disabled", Mode: "UEFI"}, sessions: map[string]bool{},
	}
	m.root, m.end = context.WithCancel(context.Background())
	m.server = &http.Server{Handler: m.bmc(), ReadHeaderTimeout: time.Minute}
	m.work.Go(func() { _ = m.server.Serve(l) })
	return m, nil
}

func (o *Options) defaults() {
	set := func(value *string, fallback string) {
		if *value == "" {
			*value = fallback
		}
	}
	set(&o.Name, "machine-1")
	set(&o.Username, "admin")
	set(&o.Password, "password")
	if o.BootDuration == 0 {
		o.BootDuration = 500 * time.Millisecond
	}
	if o.InstallDuration == 0 {
		o.InstallDuration = 500 * time.Millisecond
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 30 * time.Second}
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
}

// Close ends the machine and waits until nothing of it runs.
func (m *Machine) Close() {
	m.end()
	_ = m.server.Close()
	m.work.Wait()
	m.logging.Lock()
	defer m.logging.Unlock()
	m.closed = true
}

// logf keeps a request that is still being answered from logging after Close.
func (m *Machine) logf(format string, args ...any) {
	m.logging.Lock()
	defer m.logging.Unlock()
	if !m.closed {
		m.options.Logf(m.options.Name+": "+format, args...)
	}
}

// DriverInfo is what a node of the driver redfish needs to control the
// machine with redfish-virtual-media.
func (m *Machine) DriverInfo() map[string]any {
	return map[string]any{
		"redfish_address":   m.URL,
		"redfish_system_id": "/redfish/v1/Systems/" + m.options.Name,
		"redfish_username":  m.options.Username,
		"redfish_password":  m.options.Password,
		"redfish_verify_ca": false,
		"deploy_iso":        m.URL + isoPath,
	}
}

// PoweredOn tells whether the machine is on.
func (m *Machine) PoweredOn() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.on
}

// Installs is how often install_coreos succeeded.
func (m *Machine) Installs() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.installs
}

// Commands are those that the agent received, oldest first, over all boots.
func (m *Machine) Commands() []Command {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.commands)
}

// powerOn boots the machine from the chosen device.
func (m *Machine) powerOn() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.on || m.root.Err() != nil {
		return
	}
	m.on = true
	var ctx context.Context
	ctx, m.off = context.WithCancel(m.root)
	fromCD := m.boot.Target == "Cd" && m.boot.Enabled != "Disabled" && m.image != ""
	if m.boot.Enabled == "Once" {
		m.boot.Target, m.boot.Enabled = "None", "Disabled"
	}
	m.logf("power on, from the CD: %t", fromCD)
	if fromCD && !m.options.NeverBoots {
		image := m.image
		m.work.Go(func() { m.runAgent(ctx, image) })
	}
}

// powerOff cuts the power.
func (m *Machine) powerOff() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.on {
		return
	}
	m.logf("power off")
	m.on = false
	m.off()
}

// after waits for a duration and reports whether the context is still good.
func after(ctx context.Context, duration time.Duration) bool {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
