package agent

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// metal is simulated hardware that records the calls to its methods.
type metal struct {
	Hardware // nil: no test mounts a device of a metal

	disks    []Disk
	hostname string
	boot     BootMode
	units    []UnitState // results of successive UnitState calls

	// The following fields are the errors that the methods return, and the lines that the installer prints.
	installErr error
	lines      []string
	bootErrs   []error
	eraseErr   map[string]error
	writeErr   error

	mu       sync.Mutex
	did      []string
	installs []Install
	written  map[string]string
	off      func() // powers the machine off
}

func newMetal() *metal {
	return &metal{disks: []Disk{disk("/dev/sda", 100*gib)}, hostname: "worker-1", boot: BIOS, written: map[string]string{}, lines: []string{"Read disk 1.2 GiB/3.4 GiB (35%)"}}
}

func disk(name string, size int64) Disk {
	rotational := false
	return Disk{Name: name, Model: Text("Samsung 980 PRO"), Size: size, Rotational: &rotational, Serial: Text("S1"), WWN: Text("0x5000c500a1b2c3d4")}
}

func (m *metal) note(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.did = append(m.did, fmt.Sprintf(format, args...))
}

func (m *metal) history() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.did)
}

func (m *metal) installed() []Install {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.installs)
}

func (m *metal) Inventory(context.Context) (Inventory, error) {
	return Inventory{
		Interfaces: []Interface{{Name: "eth0", MAC: "52:54:00:00:00:01"}},
		CPU:        CPU{Architecture: "x86_64", Count: 4},
		Disks:      m.disks, Hostname: m.hostname, Boot: Boot{Mode: m.boot},
	}, nil
}

func (m *metal) BlockDevices(context.Context) ([]Disk, error) { return slices.Clone(m.disks), nil }

func (m *metal) Install(ctx context.Context, install Install, line func(string)) error {
	m.mu.Lock()
	m.installs = append(m.installs, install)
	m.mu.Unlock()
	for _, l := range m.lines {
		line(l)
	}
	return m.installErr
}

func (m *metal) BootFrom(_ context.Context, device string) error {
	m.note("boot from %s", device)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.bootErrs) == 0 {
		return nil
	}
	err := m.bootErrs[0]
	m.bootErrs = m.bootErrs[1:]
	return err
}

func (m *metal) WriteImage(_ context.Context, write ImageWrite, content io.Reader) (string, error) {
	got, err := io.ReadAll(content)
	m.mu.Lock()
	m.written[write.Device] = string(got)
	m.mu.Unlock()
	if err != nil {
		return "", err
	}
	m.note("write %s %s to %s", write.Format, write.ID, write.Device)
	return "0x1234", m.writeErr
}

func (m *metal) Erase(_ context.Context, erase Erase) error {
	m.note("erase %s %s", erase.Device, map[Erasure]string{EraseMetadata: "metadata", EraseAll: "all"}[erase.Depth])
	return m.eraseErr[erase.Device]
}

// Execute fails as on a host without programs, except that no disk is a member of an array.
func (m *metal) Execute(_ context.Context, argv ...string) (Output, error) {
	if slices.Contains(argv, "--fs") {
		return Output{}, nil
	}
	return Output{}, ErrNoProgram
}

func (m *metal) StartUnit(_ context.Context, unit string) error {
	m.note("start %s", unit)
	return nil
}

func (m *metal) UnitState(context.Context, string) (UnitState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	state := m.units[0]
	if len(m.units) > 1 {
		m.units = m.units[1:]
	}
	return state, nil
}

func (m *metal) SetRescuePassword(_ context.Context, hash string) error {
	m.note("rescue %s", hash)
	return nil
}

func (m *metal) NetworkDown(context.Context) error { m.note("network down"); return nil }
func (m *metal) Sync(context.Context) error        { m.note("sync"); return nil }
func (m *metal) Reboot(context.Context) error      { m.note("reboot"); m.off(); return nil }
func (m *metal) PowerOff(context.Context) error    { m.note("power off"); m.off(); return nil }

// lines is a destination for the agent's journal. It collects the text of the entries.
type lines struct {
	mu   sync.Mutex
	text []string
}

func (l *lines) add(e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, e.Text)
}

func (l *lines) has(part string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.text, func(s string) bool { return strings.Contains(s, part) })
}

// bench returns an agent without a conductor, for testing its steps.
func bench(m *metal, options Options) *agent {
	if m.off == nil {
		m.off = func() {}
	}
	options.IronicURL, options.Hardware = "http://ironic.invalid", m
	if options.Client == nil {
		options.Client = noRouteClient()
	}
	if err := options.complete(); err != nil {
		panic(err)
	}
	a := &agent{options: options, hardware: m, endRequest: make(chan endReason, 1), installsToFail: options.Faults.InstallFailures}
	a.journal = &journal{now: a.now, sink: options.Journal}
	a.log = newLogs(a.journal)
	a.ironic = newIronic(options, a.log.client)
	a.inventory, _ = m.Inventory(context.Background())
	a.beats = newHeartbeats(a, nil)
	return a
}

func noRouteClient() *http.Client { return &http.Client{Transport: noRoute{}} }
