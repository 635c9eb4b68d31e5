package provision_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"ironworks/bmc"
	"ironworks/enroll"
	"ironworks/lab/machine"
	"ironworks/provision"
)

// crowd counts the requests that are in flight at all BMCs of a test. Requests wait until open is closed, which
// happens when their number reaches gate.
type crowd struct {
	mu          sync.Mutex
	now, most   int
	gate        int
	open        chan struct{}
	connections map[net.Conn]bool
}

func newCrowd(gate int) *crowd {
	return &crowd{gate: gate, open: make(chan struct{}), connections: map[net.Conn]bool{}}
}

func (c *crowd) enter(r *http.Request) (leave func()) {
	c.mu.Lock()
	c.now++
	c.most = max(c.most, c.now)
	if c.now == c.gate {
		close(c.open)
		c.gate = 0
	}
	c.mu.Unlock()
	select {
	case <-c.open:
	case <-r.Context().Done():
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.now--
	}
}

// state keeps track of the open connections.
func (c *crowd) state(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.connections[conn] = true; state == http.StateClosed {
		delete(c.connections, conn)
	}
}

// serveBMC starts a server for one BMC and returns its URL.
func serveBMC(t *testing.T, c *crowd, answer http.Handler) string {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c != nil {
			defer c.enter(r)()
		}
		answer.ServeHTTP(w, r)
	}))
	if c != nil {
		s.Config.ConnState = c.state
	}
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// hostileBMCs returns faulty BMCs and the results expected for them. None of these BMCs has a machine to enroll.
func hostileBMCs(t *testing.T) map[string]struct {
	answer http.HandlerFunc
	status provision.DiscoveryStatus
	text   string
} {
	t.Helper()
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
	}
	endless := func(w http.ResponseWriter, r *http.Request) {
		junk := bytes.Repeat([]byte(`{"a": "`), 8<<10)
		for r.Context().Err() == nil {
			if _, err := w.Write(junk); err != nil {
				return
			}
		}
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host got %s %s %v", r.Method, r.URL, r.Header)
	}))
	t.Cleanup(elsewhere.Close)
	return map[string]struct {
		answer http.HandlerFunc
		status provision.DiscoveryStatus
		text   string
	}{
		"401 to each request": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, provision.DiscoveryRefused, "401"},
		"403 to each request": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, provision.DiscoveryFailed, "403"},
		"HTML":                {text(`<html>` + strings.Repeat(" ", 1<<20)), provision.DiscoveryFailed, "Redfish"},
		"broken JSON":         {text(`{"Systems": `), provision.DiscoveryFailed, ""},
		"endless":             {endless, provision.DiscoveryFailed, "too large"},
		"echoes":              {echo, provision.DiscoveryFailed, ""},
		"redirects in a loop": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, provision.DiscoveryFailed, "redirects"},
		"redirects away": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/redfish/v1/", http.StatusTemporaryRedirect)
		}, provision.DiscoveryFailed, "redirects to another address"},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, provision.DiscoveryUnreachable, ""},
		"busy":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, provision.DiscoveryFailed, "500"},
	}
}

// echo returns an error message that contains the received request, the BMC's password and control characters.
func echo(w http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	_ = r.Write(&body)
	text, _ := json.Marshal(map[string]any{"error": map[string]any{"message": "\x1b[2J\u202e" + body.String() + bmcPassword}})
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(text)
}

func discovering() *provision.BMCs {
	return &provision.BMCs{Complete: func(_ context.Context, t *bmc.Target) error {
		t.Username, t.Password = "admin", bmcPassword
		return nil
	}}
}

func TestDiscoverHostile(t *testing.T) {
	t.Parallel()
	for name, tt := range hostileBMCs(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := serveBMC(t, nil, tt.answer)
			got := discovering().Discover(t.Context(), []string{address}, nil)
			if len(got) != 1 || got[0].Status != tt.status || got[0].Address != address || got[0].BMC != nil || !strings.Contains(fmt.Sprint(got[0].Err), tt.text) {
				t.Fatalf("%+v, want %s with %q", got, tt.status, tt.text)
			}
			if text := got[0].Err.Error(); strings.Contains(text, bmcPassword) || strings.ContainsAny(text, "\x1b\u202e\n") || len(text) > 500 {
				t.Errorf("%q", text)
			}
		})
	}
}

// TestDiscover256 queries the maximum number of addresses for one run. Some of them belong to working BMCs, others to
// hostile or dead ones. The test checks that 32 are queried at a time, that the results are in the order of the
// addresses, and that no connection remains open.
func TestDiscover256(t *testing.T) {
	t.Parallel()
	const all, width = 256, 32
	good := machineBMC(t, "m1")
	hostile := hostileBMCs(t)
	var ways []string
	for name := range hostile {
		ways = append(ways, name)
	}
	c := newCrowd(width)
	addresses := make([]string, all)
	want := make([]provision.DiscoveryStatus, all)
	for i := range addresses {
		switch way := i % (len(ways) + 2); way {
		case len(ways):
			addresses[i], want[i] = serveBMC(t, c, good), provision.DiscoveryFound
		case len(ways) + 1:
			addresses[i], want[i] = fmt.Sprintf("http://127.0.0.%d:1", i%250+1), provision.DiscoveryUnreachable
		default:
			addresses[i], want[i] = serveBMC(t, c, hostile[ways[way]].answer), hostile[ways[way]].status
		}
	}
	var mu sync.Mutex
	done := map[string]bool{}
	got := discovering().Discover(t.Context(), addresses, func(address string) {
		mu.Lock()
		defer mu.Unlock()
		done[address] = true
	})
	if len(got) != all {
		t.Fatalf("%d results for %d addresses", len(got), all)
	}
	for i := range got {
		if got[i].Address != addresses[i] || got[i].Status != want[i] || !done[addresses[i]] {
			t.Errorf("%d: %s %s %v, want %s", i, got[i].Address, got[i].Status, got[i].Err, want[i])
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.most != width {
		t.Errorf("%d requests at a time, want %d", c.most, width)
	}
}

// TestDiscoverStops checks that a discovery ends when the operator cancels it, even if BMCs never answer.
func TestDiscoverStops(t *testing.T) {
	t.Parallel()
	c := newCrowd(0)
	ctx, cancel := context.WithCancel(t.Context())
	var once sync.Once
	hang := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		once.Do(cancel)
		<-r.Context().Done()
	})
	close(c.open)
	addresses := make([]string, 64)
	for i := range addresses {
		addresses[i] = serveBMC(t, c, hang)
	}
	finished := make(chan []provision.Discovered, 1)
	go func() { finished <- discovering().Discover(ctx, addresses, nil) }()
	select {
	case got := <-finished:
		for i := range got {
			if got[i].Status == provision.DiscoveryFound || got[i].Err == nil {
				t.Errorf("%+v", got[i])
			}
		}
	case <-time.After(20 * time.Second): // shorter than the time limit of a request to a silent BMC
		t.Fatal("it waits for the BMCs")
	}
}

// TestEnrollHostileNames checks that hostile machine data from a BMC is turned into a legal name and into text
// without control characters.
func TestEnrollHostileNames(t *testing.T) {
	t.Parallel()
	good := machineBMC(t, "m1")
	lies := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/Systems/m1") {
			good.ServeHTTP(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"Id": "m1", "SerialNumber": "a/b\u001b]0;x\u0007 ` + bmcPassword + `\u202e--x", "HostName": "../../` + strings.Repeat("é", 300) + `",
			"Model": "\u001b[31mred", "Manufacturer": "A\nB", "UUID": "nil"}`))
	})
	address := serveBMC(t, nil, lies)
	r := &provision.EnrollReader{BMCs: discovering()}
	for _, names := range []enroll.Naming{enroll.NameSerial, enroll.NameHostname, enroll.NameAddress, "r7-n%02d"} {
		source, err := provision.EnrollInput{BMCs: []string{address}, Names: names}.Parse()
		if err != nil {
			t.Fatal(err)
		}
		found, err := r.Read(t.Context(), &source)
		if err != nil || len(found.Nodes) != 1 {
			t.Fatalf("%+v, %v", found, err)
		}
		n := &found.Nodes[0]
		if legal := regexp.MustCompile(`^[A-Za-z0-9._~-]{0,255}$`); !legal.MatchString(n.Name()) || strings.Contains(n.Name(), bmcPassword) {
			t.Errorf("%s: named %q", names, n.Name())
		}
		text, err := json.Marshal(n.Fields["extra"])
		if err != nil || strings.ContainsAny(string(text), "\x1b\u202e") || strings.Contains(string(text), `\u001b`) || strings.Contains(string(text), bmcPassword) {
			t.Errorf("%s: extra %s, %v", names, text, err)
		}
	}
}

// machineBMC returns the Redfish service of a lab machine.
func machineBMC(t *testing.T, name string) http.Handler {
	t.Helper()
	m, err := machine.New(machine.Spec{
		Name: name, User: "admin", Password: bmcPassword, CPUs: 8, MemoryMiB: 16384, Disks: []machine.Disk{{Name: "/dev/sda", SizeBytes: 480e9}},
		NICs: []machine.NIC{{Name: "eno1", MAC: "52:54:00:00:00:01"}},
	}, machine.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	rack, err := machine.NewRack(time.Now, m)
	if err != nil {
		t.Fatal(err)
	}
	return rack
}
