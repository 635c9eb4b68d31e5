package conductor

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ironworks/agent"
	"ironworks/lab/api"
	"ironworks/lab/db"
	"ironworks/lab/machine"
)

// patience is the maximum duration of each wait in a test.
const patience = 60 * time.Second

const testSpeed = 40

// rig consists of a conductor, the part of its API that agents use, and simulated machines.
type rig struct {
	t       *testing.T
	c       *Conductor
	store   *db.Store
	api     *httptest.Server
	iso     *httptest.Server
	publish *httptest.Server
	logs    chan string

	mu      sync.Mutex
	isoGone bool
	fetched int
	agent   agent.Options // options for the agents that the machines run
}

type rigOptions func(*Options)

func newRig(t *testing.T, change ...rigOptions) *rig {
	t.Helper()
	r := &rig{t: t, logs: make(chan string, 100)}
	r.store = db.New(time.Now)
	var images http.Handler
	r.publish = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) { images.ServeHTTP(w, request) }))
	r.iso = httptest.NewServer(http.HandlerFunc(r.serveISO))
	transport := &http.Transport{DisableKeepAlives: true}
	options := Options{
		Tables: r.store, HTTPURL: r.publish.URL, Speed: testSpeed, Client: &http.Client{Transport: transport}, RequireTLS: true, LogsCollect: "always",
		Logs: func(name string, _ []byte) { r.logs <- name },
	}
	for _, f := range change {
		f(&options)
	}
	var err error
	if r.c, err = New(options); err != nil {
		t.Fatal(err)
	}
	images = r.c.Images()
	r.api = httptest.NewServer(api.New(r.store, r.c))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.c.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		r.api.Close()
		r.iso.Close()
		r.publish.Close()
	})
	return r
}

func (r *rig) serveISO(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	gone := r.isoGone
	if request.Method == http.MethodGet {
		r.fetched++
	}
	r.mu.Unlock()
	if gone {
		http.NotFound(w, request)
		return
	}
	_, _ = io.WriteString(w, "a live image")
}

// metal gives an agent access to the hardware of its machine.
type metal struct {
	agent.Hardware // nil: no test mounts a device

	m *machine.Machine
}

const testMAC = "52:54:00:00:00:01"

func (h metal) Inventory(ctx context.Context) (agent.Inventory, error) {
	address := "192.0.2.10"
	mac := "01-" + strings.ReplaceAll(testMAC, ":", "-")
	disks, err := h.BlockDevices(ctx)
	return agent.Inventory{
		Interfaces: []agent.Interface{{Name: "eno1", MAC: testMAC, IPv4: &address}},
		CPU:        agent.CPU{Architecture: "x86_64", Count: 4}, Disks: disks, Hostname: "worker",
		Boot: agent.Boot{Mode: agent.UEFI, PXEInterface: &mac},
	}, err
}

func (h metal) BlockDevices(context.Context) ([]agent.Disk, error) {
	var all []agent.Disk
	for _, d := range h.m.Disks() {
		rotational := d.Rotational
		all = append(all, agent.Disk{Name: d.Name, Size: d.SizeBytes, Model: agent.Text(d.Model), Serial: agent.Text(d.Serial), Rotational: &rotational})
	}
	return all, nil
}

func (h metal) Install(_ context.Context, install agent.Install, line func(string)) error {
	line("Read disk 1.2 GiB/3.4 GiB (35%)")
	return h.m.Install(install.Device, machine.Installation{What: "Fedora CoreOS", Ignition: install.Ignition})
}

func (h metal) BootFrom(context.Context, string) error { return nil }

func (h metal) WriteImage(_ context.Context, write agent.ImageWrite, content io.Reader) (string, error) {
	if _, err := io.Copy(io.Discard, content); err != nil {
		return "", err
	}
	return "0x1234", h.m.Install(write.Device, machine.Installation{What: "image " + write.ID})
}

func (h metal) Erase(_ context.Context, erase agent.Erase) error {
	return h.m.Wipe(erase.Device)
}

// Execute fails as on a host without programs, except that no disk is a member of an array.
func (h metal) Execute(_ context.Context, argv ...string) (agent.Output, error) {
	if slices.Contains(argv, "--fs") {
		return agent.Output{}, nil
	}
	return agent.Output{}, agent.ErrNoProgram
}

func (h metal) StartUnit(context.Context, string) error { return nil }
func (h metal) UnitState(context.Context, string) (agent.UnitState, error) {
	return agent.UnitState{}, nil
}
func (h metal) SetRescuePassword(context.Context, string) error { return nil }
func (h metal) NetworkDown(context.Context) error               { return nil }
func (h metal) Sync(context.Context) error                      { return nil }
func (h metal) PowerOff(context.Context) error                  { return h.m.Reset(machine.ForceOff) }

func (h metal) Reboot(context.Context) error { return h.m.Reset(machine.ForceRestart) }

// Run runs an agent as the machine's ramdisk.
func (r *rig) Run(ctx context.Context, m *machine.Machine, _ machine.Media) error {
	r.mu.Lock()
	options := r.agent
	r.mu.Unlock()
	transport := &http.Transport{DisableKeepAlives: true}
	options.IronicURL, options.Client, options.Hardware = r.api.URL, &http.Client{Transport: transport}, metal{m: m}
	options.Speed = testSpeed
	return agent.Run(ctx, options)
}

// machine creates a machine and enrolls a node for it. The machine is removed when the test ends.
func (r *rig) machine(change ...func(*db.Node)) (*machine.Machine, *db.Node) {
	r.t.Helper()
	m, err := machine.New(machine.Spec{
		Name: "m1", CPUs: 4, MemoryMiB: 16384, User: "admin", Password: "secret",
		Disks: []machine.Disk{{Name: "/dev/sda", SizeBytes: 100 << 30, Model: "disk", Serial: "S1"}},
		NICs:  []machine.NIC{{Name: "eno1", MAC: testMAC, SpeedMbps: 1000}},
	}, machine.Options{Ramdisk: r.Run, FirmwareTime: 200 * time.Millisecond, Client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(m.Close)
	rack, err := machine.NewRack(time.Now, m)
	if err != nil {
		r.t.Fatal(err)
	}
	server := httptest.NewTLSServer(rack)
	r.t.Cleanup(server.Close)
	node := &db.Node{
		Name: "node-1", Driver: "redfish", ProvisionState: enroll, Properties: db.Dict{}, InstanceInfo: db.Dict{}, DriverInternalInfo: db.Dict{},
		Interfaces: map[string]string{"boot": "redfish-virtual-media", "deploy": "custom-agent", "inspect": "agent", "rescue": "agent"},
		DriverInfo: db.Dict{
			"redfish_address": server.URL, "redfish_system_id": m.SystemPath(), "redfish_verify_ca": false, "redfish_username": "admin", "redfish_password": "secret",
			"deploy_iso": r.iso.URL + "/live.iso", "rescue_iso": r.iso.URL + "/live.iso",
		},
	}
	for _, f := range change {
		f(node)
	}
	node = r.enroll(node)
	if len(r.store.Ports.List(nil)) == 0 {
		_, err := r.c.CreatePort(r.t.Context(), &db.Port{NodeUUID: node.UUID, Address: testMAC, PXEEnabled: true})
		r.must(err)
	}
	return m, node
}

func (r *rig) enroll(node *db.Node) *db.Node {
	r.t.Helper()
	made, err := r.c.CreateNode(r.t.Context(), node)
	if err != nil {
		r.t.Fatal(err)
	}
	return made
}

// fake enrolls a node with fake hardware in the given provision state.
func (r *rig) fake(state string, change ...func(*db.Node)) *db.Node {
	r.t.Helper()
	node := &db.Node{Driver: "fake-hardware", ProvisionState: state, PowerState: powerOff}
	for _, f := range change {
		f(node)
	}
	return r.enroll(node)
}

func (r *rig) node(uuid string) *db.Node {
	r.t.Helper()
	node, err := r.store.Nodes.Get(uuid)
	if err != nil {
		r.t.Fatal(err)
	}
	return node
}

// until returns the node as soon as it meets the condition. If that takes longer than patience, the test fails.
func (r *rig) until(uuid, what string, is func(*db.Node) bool) *db.Node {
	r.t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if node := r.node(uuid); is(node) {
			return node
		}
		select {
		case <-tick.C:
		case <-deadline:
			node := r.node(uuid)
			r.t.Fatalf("waiting for %s: %s → %q, power %s, locked by %q, error %q; history %v", what, node.ProvisionState, node.TargetProvisionState,
				node.PowerState, node.Reservation, node.LastError, r.events(uuid))
		}
	}
}

// state waits until the node is in the given provision state and unlocked.
func (r *rig) state(uuid, state string) *db.Node {
	r.t.Helper()
	return r.until(uuid, state, func(n *db.Node) bool { return n.ProvisionState == state && n.Reservation == "" })
}

func (r *rig) events(uuid string) []string {
	var all []string
	for _, h := range r.store.History(uuid) {
		all = append(all, h.EventType+"/"+h.Severity+": "+h.Event)
	}
	return all
}

// must fails the test if err is not nil.
func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// refused checks that err is a fault with the given status, and that its message contains the given words.
func (r *rig) refused(err error, status int, words string) {
	r.t.Helper()
	var f *db.Fault
	if !errors.As(err, &f) || f.Status != status || !strings.Contains(f.Text, words) {
		r.t.Errorf("got %v, want %d %q", err, status, words)
	}
}

// ready returns a machine whose node is available.
func (r *rig) ready() (*machine.Machine, *db.Node) {
	r.t.Helper()
	m, node := r.machine()
	r.must(r.c.Act(r.t.Context(), node.UUID, "manage"))
	r.state(node.UUID, manageable)
	r.must(r.c.Act(r.t.Context(), node.UUID, "provide"))
	return m, r.state(node.UUID, available)
}

func coreosStep() []db.Dict {
	return []db.Dict{{"interface": "deploy", "step": "install_coreos", "args": map[string]any{}, "priority": 80}}
}
