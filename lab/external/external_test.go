//go:build unix

package external

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ironworks/agent"
)

// metal is hardware that records the calls to its methods.
type metal struct {
	agent.Hardware // nil: no test runs a program or mounts a device

	mu  sync.Mutex
	did []string
}

func (m *metal) note(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.did = append(m.did, fmt.Sprintf(format, args...))
}

func (m *metal) Inventory(context.Context) (agent.Inventory, error) {
	return agent.Inventory{Hostname: "m1"}, nil
}

func (m *metal) BlockDevices(context.Context) ([]agent.Disk, error) {
	return []agent.Disk{{Name: "/dev/sda", Size: 7, ReadOnly: true, Serial: agent.Texts{"a", "b"}}}, nil
}

func (m *metal) Install(ctx context.Context, install agent.Install, line func(string)) error {
	m.note("install %s %q %s copy=%v ign=%s", install.Device, install.AppendKargs, install.ImageURL, install.CopyNetwork, install.Ignition)
	line("Read disk")
	switch install.Device {
	case "/dev/slow":
		<-ctx.Done()
		return ctx.Err()
	case "/dev/none":
		return agent.ErrNoInstaller
	case "/dev/bad":
		return &agent.ExitError{Code: 3}
	}
	return nil
}

func (m *metal) BootFrom(_ context.Context, device string) error {
	if device != "/dev/sda" {
		return agent.ErrNoEFIPartition
	}
	m.note("boot %s", device)
	return nil
}

func (m *metal) WriteImage(_ context.Context, write agent.ImageWrite, content io.Reader) (string, error) {
	text, err := io.ReadAll(content)
	m.note("write %s %s %s %s", write.Device, write.ID, write.Format, text)
	return "0x1", err
}

func (m *metal) Erase(_ context.Context, erase agent.Erase) error {
	m.note("erase %s %d", erase.Device, erase.Depth)
	return nil
}

func (m *metal) StartUnit(_ context.Context, unit string) error { m.note("start %s", unit); return nil }

func (m *metal) UnitState(context.Context, string) (agent.UnitState, error) {
	return agent.UnitState{Active: "active", Result: "success"}, nil
}

func (m *metal) SetRescuePassword(_ context.Context, hash string) error {
	m.note("password %s", hash)
	return nil
}
func (m *metal) NetworkDown(context.Context) error { m.note("network down"); return nil }
func (m *metal) Sync(context.Context) error        { return errors.New("disk on fire") }
func (m *metal) PowerOff(context.Context) error    { m.note("power off"); return nil }
func (m *metal) Reboot(context.Context) error      { m.note("reboot"); return nil }

// journal stores a program's output lines and signals new ones.
type journal struct {
	mu    sync.Mutex
	lines []string
	more  chan struct{}
}

func newJournal() *journal { return &journal{more: make(chan struct{}, 1)} }

func (j *journal) add(e agent.Entry) {
	j.mu.Lock()
	j.lines = append(j.lines, e.Text)
	j.mu.Unlock()
	select {
	case j.more <- struct{}{}:
	default:
	}
}

func (j *journal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines)
}

// await waits for a line with the given beginning, and returns the rest of that line.
func (j *journal) await(t *testing.T, beginning string) string {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		for _, line := range j.all() {
			if rest, found := strings.CutPrefix(line, beginning); found {
				return rest
			}
		}
		select {
		case <-j.more:
		case <-limit:
			t.Fatalf("no line %q in %q", beginning, j.all())
		}
	}
}

// run is a shell script that runs as the agent of a machine in a test.
type run struct {
	*journal
	power context.CancelFunc
	ended chan error
	metal *metal
}

func start(t *testing.T, script string, faults agent.Faults) *run {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &run{journal: newJournal(), power: cancel, ended: make(chan error, 1), metal: &metal{}}
	go func() {
		r.ended <- Run(ctx, Options{
			Command: []string{"sh", "-c", script}, Machine: "m1", MACs: []string{"aa", "bb"}, IronicURL: "http://ironic",
			Plain: true, Hardware: r.metal, Journal: r.add, Faults: faults, Speed: 50,
		})
	}()
	t.Cleanup(cancel)
	return r
}

func (r *run) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.ended:
		return err
	case <-time.After(20 * time.Second):
		t.Fatalf("it still runs: %q", r.all())
		return nil
	}
}

func TestProgramEnvironment(t *testing.T) {
	t.Setenv("OS_PASSWORD", "secret")
	r := start(t, `echo "$IRONWORKS_MACHINE $IRONWORKS_MACS $IRONWORKS_IRONIC_URL $IRONWORKS_PLAIN [$IRONWORKS_NO_INSPECTION$OS_PASSWORD]"
		echo complaint >&2; exit 3`, agent.Faults{})
	if err := r.end(t); !errors.Is(err, errExited) {
		t.Errorf("it ended with %v", err)
	}
	want := []string{
		"Started ironic-agent.service - Ironic Agent.", "m1 aa bb http://ironic 1 []", "complaint",
		"ironic-agent.service: Main process exited, code=exited, status=3/FAILURE", "ironic-agent.service: Failed with result 'exit-code'.",
	}
	if got := r.all(); !slices.Equal(got, want) {
		t.Errorf("the journal is %q, want %q", got, want)
	}
}

func TestMissingProgram(t *testing.T) {
	err := Run(t.Context(), Options{Command: []string{"/nowhere/agent"}, Hardware: &metal{}, Journal: func(agent.Entry) {}})
	if !errors.Is(err, errExited) || !strings.Contains(err.Error(), "/nowhere/agent") {
		t.Errorf("got %v", err)
	}
}

// TestPowerEndsTheWholeGroup checks that powering off ends a program that ignores signals, and the program's child
// processes.
func TestPowerEndsTheWholeGroup(t *testing.T) {
	r := start(t, `trap "" TERM; (trap "" TERM; while :; do sleep 0.1; done) & echo ready $!; while :; do sleep 0.1; done`, agent.Faults{})
	child := r.await(t, "ready ")
	r.power()
	if err := r.end(t); err != nil {
		t.Errorf("the end of the power is an error: %v", err)
	}
	awaitGone(t, child)
}

func TestNoRoute(t *testing.T) {
	r := start(t, `echo "url $IRONWORKS_IRONIC_URL"`, agent.Faults{NoRoute: true})
	if got := r.await(t, "url "); got != nowhere {
		t.Errorf("Ironic is at %s", got)
	}
	_ = r.end(t)
}

// withService runs a program that does nothing, and returns the URL of its machine.
func withService(t *testing.T, faults agent.Faults) (*run, string) {
	t.Helper()
	r := start(t, `echo "url $IRONWORKS_HARDWARE_URL"; while :; do sleep 0.1; done`, faults)
	return r, r.await(t, "url ")
}

func call(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	// The response is cut off if the machine is powered off meanwhile.
	answer, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(bytes.TrimSpace(answer))
}

func TestService(t *testing.T) {
	r, url := withService(t, agent.Faults{InstallFailures: 1, InstallMessage: "no luck"})
	install := func(argv ...string) string {
		body, err := json.Marshal(map[string]any{"argv": argv, "ignition": []byte("{}")})
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	for _, c := range []struct {
		name, call, body string
		status           int
		answer           string
	}{
		{"inventory", "GET inventory", "", 200, `"hostname":"m1"`},
		{"disks", "GET block-devices", "", 200, `"serial":["a","b"]`},
		{"what an inventory does not say", "GET block-devices", "", 200, `"read_only":true`},
		{"an installation that is to fail", "POST install", install("install", "/dev/sda"), 200, "{\"line\":\"no luck\"}\n{\"exit\":1}"},
		{
			"an installation", "POST install",
			install("install", "--preserve-on-error", "--ignition-file", "/tmp/i", "--append-karg", "a,b", "--image-url", "http://i", "--insecure", "--copy-network", "/dev/sda"),
			200, "{\"line\":\"Read disk\"}\n{\"exit\":0}",
		},
		{"one that fails", "POST install", install("install", "--offline", "/dev/bad"), 200, `{"exit":3}`},
		{"no installer", "POST install", install("install", "/dev/none"), 200, `{"missing":true}`},
		{"an unknown flag", "POST install", install("install", "--bogus", "/dev/sda"), 200, "{\"line\":\"error: unexpected argument '--bogus' found\"}\n{\"exit\":2}"},
		{"two devices", "POST install", install("install", "/dev/sda", "/dev/sdb"), 200, `{"exit":2}`},
		{"no device", "POST install", install("install"), 200, `{"exit":2}`},
		{"a flag without value", "POST install", install("install", "--append-karg"), 200, `{"exit":2}`},
		{"a boot entry", "POST boot-entry", `{"device": "/dev/sda"}`, 204, ""},
		{"no EFI partition", "POST boot-entry", `{"device": "/dev/sdb"}`, 409, `"kind":"no-efi-partition"`},
		{"erasing", "POST erase", `{"device": "/dev/sda", "depth": "all"}`, 204, ""},
		{"erasing to no depth", "POST erase", `{"device": "/dev/sda"}`, 400, `"kind":"bad-request"`},
		{"an image", "POST write-image?device=/dev/sda&id=i&format=raw", "bytes", 200, `{"root_uuid":"0x1"}`},
		{"a unit", "POST start-unit", `{"unit": "agent.service"}`, 204, ""},
		{"its state", "GET unit-state?unit=agent.service", "", 200, `{"active":"active","result":"success"}`},
		{"a password", "POST rescue-password", `{"hash": "$6$"}`, 204, ""},
		{"the network", "POST network-down", "", 204, ""},
		{"what fails", "POST sync", "", 500, `{"error":"disk on fire","kind":"failed"}`},
		{"no JSON", "POST erase", "x", 400, `"kind":"bad-request"`},
		{"rebooting", "POST reboot", "", 204, ""},
		{"powering off", "POST power-off", "", 204, ""},
	} {
		method, path, _ := strings.Cut(c.call, " ")
		if status, answer := call(t, method, url+path, c.body); status != c.status || !strings.Contains(answer, c.answer) {
			t.Errorf("%s: %d %s, want %d %s", c.name, status, answer, c.status, c.answer)
		}
	}
	if status, _ := call(t, http.MethodGet, strings.TrimSuffix(url, "/")+"x/inventory", ""); status != http.StatusNotFound {
		t.Errorf("with a wrong token: %d", status)
	}
	r.power()
	_ = r.end(t)
	want := []string{
		`install /dev/sda ["a,b"] http://i copy=true ign={}`, `install /dev/bad []  copy=false ign=`, `install /dev/none []  copy=false ign=`,
		"boot /dev/sda", "erase /dev/sda 1", "write /dev/sda i raw bytes", "start agent.service", "password $6$", "network down", "reboot", "power off",
	}
	if !slices.Equal(r.metal.did, want) {
		t.Errorf("done was %q, want %q", r.metal.did, want)
	}
}

// TestDiesInStep checks that the DieInStep fault ends the agent in the middle of an installation.
func TestDiesInStep(t *testing.T) {
	r, url := withService(t, agent.Faults{DieInStep: "install_coreos"})
	_, said := call(t, http.MethodPost, url+"install", `{"argv": ["install", "/dev/slow"]}`)
	if !strings.HasPrefix(said, `{"line":"Read disk"}`) {
		t.Errorf("the installer said %q", said)
	}
	if err := r.end(t); !errors.Is(err, agent.ErrDied) {
		t.Errorf("it ended with %v", err)
	}
}
