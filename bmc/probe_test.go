package bmc

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/lab/machine"
	"ironworks/models"
	"ironworks/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const password = "s3cr3t-0f-the-BMC"

// controller is a test server with the lab's Redfish service for some machines.
type controller struct {
	*httptest.Server
	rack     *machine.Rack
	machines []*machine.Machine
	mu       sync.Mutex
	// asked lists the received requests in the form "METHOD path".
	asked []string
	// Unless it is nil, the instead function is called before the rack. It reports whether it has answered the
	// request.
	instead func(w http.ResponseWriter, r *http.Request) bool
}

func newController(t *testing.T, secure bool, machines ...*machine.Machine) *controller {
	t.Helper()
	rack, err := machine.NewRack(time.Now, machines...)
	if err != nil {
		t.Fatal(err)
	}
	c := &controller{rack: rack, machines: machines}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.asked = append(c.asked, r.Method+" "+r.URL.Path)
		instead := c.instead
		c.mu.Unlock()
		if instead == nil || !instead(w, r) {
			rack.ServeHTTP(w, r)
		}
	})
	if secure {
		c.Server = httptest.NewTLSServer(handler)
	} else {
		c.Server = httptest.NewServer(handler)
	}
	t.Cleanup(c.Close)
	return c
}

// count returns the number of received requests that start with method. For example, "POST " counts all POST
// requests.
func (c *controller) count(method string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(c.asked), func(a string) bool { return !strings.HasPrefix(a, method) }))
}

func newMachine(t *testing.T, name string) *machine.Machine {
	t.Helper()
	m, err := machine.New(machine.Spec{
		Name: name, User: "admin", Password: password, CPUs: 8, MemoryMiB: 16384, Product: "R1",
		Disks: []machine.Disk{
			{Name: "/dev/sda", SizeBytes: 480e9, Model: "SSD 1", Vendor: "ACME", Serial: "S1"},
			{Name: "/dev/sdb", SizeBytes: 4e12, Model: "HDD 1", Rotational: true},
		},
		NICs: []machine.NIC{{Name: "eno1", MAC: "52:54:00:00:00:01", SpeedMbps: 25000}, {Name: "eno2", MAC: "52:54:00:00:00:02"}},
	}, machine.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func target(c *controller) Target {
	return Target{Address: c.URL, Username: "admin", Password: password}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "m1")
	c := newController(t, false, m)
	got, err := Probe(t.Context(), target(c))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Unread) > 0 {
		t.Errorf("unread: %+v", got.Unread)
	}
	if s := got.System; s.Serial != "m1" || s.Model != "R1" || s.Power != "Off" || s.Path == "" {
		t.Errorf("system %+v", s)
	}
	if len(got.Drives) != 2 || len(got.NICs) != 2 || len(got.Processors) != 1 || len(got.Media) != 1 || got.Controller.Redfish == "" {
		t.Errorf("%d drives, %d NICs, %d processors, %d media, %d modules", len(got.Drives), len(got.NICs), len(got.Processors), len(got.Media), len(got.Memory))
	}
	if i := slices.IndexFunc(got.Drives, func(d models.BMCDrive) bool { return d.Serial == "S1" }); i < 0 || got.Drives[i].Bytes != 480e9 || got.Drives[i].Media != "SSD" {
		t.Errorf("drives %+v", got.Drives)
	}
	if got.Controller.Firmware == "" || got.Boot.Mode == "" || len(got.Sensors) == 0 || len(got.BIOS) == 0 {
		t.Errorf("controller %+v, boot %+v, %d sensors, %d settings", got.Controller, got.Boot, len(got.Sensors), len(got.BIOS))
	}
	if c.count(http.MethodPost) != 1 || c.count(http.MethodDelete) != 1 {
		t.Errorf("%d sessions were made, %d ended", c.count(http.MethodPost), c.count(http.MethodDelete))
	}
	if c.count(http.MethodPatch)+c.count(http.MethodPut) != 0 {
		t.Error("a look changes something")
	}
}

// TestProbeReadsTheMachinesState checks that changes to the machine's state are visible.
func TestProbeReadsTheMachinesState(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "m1")
	c := newController(t, false, m)
	if err := m.Reset(machine.ResetOn); err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), &Target{Address: c.URL, Username: "admin", Password: password})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(t.Context())
	systems, err := s.client.Service.Systems()
	if err != nil {
		t.Fatal(err)
	}
	bios, err := systems[0].Bios()
	if err != nil {
		t.Fatal(err)
	}
	if err := bios.UpdateBiosAttributes(map[string]any{"NumLock": "Off"}); err != nil {
		t.Fatal(err)
	}
	got, err := Probe(t.Context(), target(c))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(got.BIOS, func(v models.BMCValue) bool { return v.Name == "NumLock" })
	if got.System.Power != "On" || len(got.Log) == 0 || i < 0 || got.BIOS[i].Pending != "Off" {
		t.Errorf("power %s, %d entries, settings %+v", got.System.Power, len(got.Log), got.BIOS)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	one, two := newMachine(t, "m1"), newMachine(t, "m2")
	tests := map[string]struct {
		secure  bool
		change  func(x *Target, c *controller)
		kind    models.FaultKind
		message string
	}{
		"wrong password":      {change: func(x *Target, _ *controller) { x.Password = "another-Pa55word" }, kind: models.FaultUnauthorized},
		"wrong, basic":        {change: func(x *Target, _ *controller) { x.Password, x.Basic = "another-Pa55word", true }, kind: models.FaultUnauthorized},
		"no credentials":      {change: func(x *Target, _ *controller) { x.Username, x.Password = "", "" }, kind: models.FaultUnauthorized, message: "the BMC requires a user name and a password"},
		"untrusted":           {secure: true, change: func(*Target, *controller) {}, kind: models.FaultTLS, message: "SHA-256"},
		"another fingerprint": {secure: true, change: func(x *Target, _ *controller) { x.Fingerprint = strings.Repeat("00", 32) }, kind: models.FaultTLS},
		"several systems":     {change: func(*Target, *controller) {}, kind: models.FaultNotFound, message: "this BMC has 2 systems"},
		"no such system":      {change: func(x *Target, _ *controller) { x.System = "/redfish/v1/Systems/m3" }, kind: models.FaultNotFound, message: "no system "},
		"no address":          {change: func(x *Target, _ *controller) { x.Address = "ftp://x" }, kind: models.FaultConfig, message: "use https://HOST"},
		"nobody there":        {change: func(x *Target, _ *controller) { x.Address = "http://127.0.0.1:1" }, kind: models.FaultRefused, message: "the BMC is running"},
		"no Redfish": {change: func(_ *Target, c *controller) {
			c.instead = func(w http.ResponseWriter, _ *http.Request) bool { _, _ = w.Write([]byte("<html>")); return true }
		}, kind: models.FaultNotRedfish},
		"not found": {change: func(_ *Target, c *controller) {
			c.instead = func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusNotFound); return true }
		}, kind: models.FaultNotRedfish},
		"busy": {change: func(_ *Target, c *controller) {
			c.instead = func(w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusServiceUnavailable)
				return true
			}
		}, kind: models.FaultUnavailable},
		"tells what it was told": {change: func(_ *Target, c *controller) {
			c.instead = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodPost {
					return false
				}
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(`{"error": {"message": "no user admin with \u001b[2Jpassword ` + password + `"}}`))
				return true
			}
		}, kind: models.FaultUnauthorized, message: "no user admin"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newController(t, tt.secure, one, two)
			x := target(c)
			tt.change(&x, c)
			_, err := Probe(t.Context(), x)
			var f *models.Fault
			if !errors.As(err, &f) || f.Kind != tt.kind || !strings.Contains(err.Error(), tt.message) {
				t.Fatalf("got %v, want %s with %q", err, tt.kind, tt.message)
			}
			if strings.Contains(err.Error(), password) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("it shows the password, or controls the terminal: %q", err.Error())
			}
		})
	}
}

// TestPinnedCertificateAndNamedSystem checks that a certificate can be pinned and that a system can be selected by
// its path.
func TestPinnedCertificateAndNamedSystem(t *testing.T) {
	t.Parallel()
	c := newController(t, true, newMachine(t, "m1"), newMachine(t, "m2"))
	x := target(c)
	x.System, x.Fingerprint = "redfish/v1/Systems/m2/", wire.Fingerprint(c.Certificate())
	got, err := Probe(t.Context(), x)
	if err != nil || got.System.Serial != "m2" || len(got.System.Paths) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
}

// TestUnreadableParts checks that the other parts are read even if one part cannot be read.
func TestUnreadableParts(t *testing.T) {
	t.Parallel()
	c := newController(t, false, newMachine(t, "m1"))
	c.instead = func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case strings.Contains(r.URL.Path, "/Storage"):
			w.WriteHeader(http.StatusInternalServerError)
		case strings.HasSuffix(r.URL.Path, "/Thermal"):
			_, _ = w.Write([]byte(`{"Temperatures": "none"}`))
		default:
			return false
		}
		return true
	}
	got, err := Probe(t.Context(), target(c))
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, u := range got.Unread {
		parts = append(parts, u.Part)
	}
	if !slices.Equal(parts, []string{"drives", "sensors"}) || len(got.NICs) != 2 || len(got.BIOS) == 0 {
		t.Errorf("unread %+v", got.Unread)
	}
}

func TestOfNode(t *testing.T) {
	t.Parallel()
	info := func(text string) *models.Node {
		n := &models.Node{Name: "n1"}
		if err := json.Unmarshal([]byte(text), &n.DriverInfo); err != nil {
			t.Fatal(err)
		}
		return n
	}
	got, err := TargetOf(info(`{"redfish_address": "https://b", "redfish_system_id": "/redfish/v1/Systems/1", "redfish_username": "u", "redfish_password": "******", "redfish_verify_ca": false, "redfish_auth_type": "basic"}`))
	if want := (Target{Address: "https://b", System: "/redfish/v1/Systems/1", Username: "u", Basic: true, TLS: models.TLS{Insecure: true}}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	var none *models.NoRedfishError
	if _, err := TargetOf(info(`{"ipmi_address": "10.0.0.9"}`)); !errors.As(err, &none) || none.IPMI != "10.0.0.9" {
		t.Errorf("%v", err)
	}
	if _, err := TargetOf(info(`{}`)); !errors.As(err, &none) {
		t.Errorf("%v", err)
	}
}

// TestCauses checks that only unhealthy parts are listed as causes.
func TestCauses(t *testing.T) {
	t.Parallel()
	p := &probe{found: &models.BMC{
		Drives:  []models.BMCDrive{{ID: "1", Health: models.BMCHealthOK}, {ID: "2", Health: models.BMCHealthOK, Predicted: true}},
		NICs:    []models.BMCNIC{{ID: "n", Health: models.BMCHealthCritical, Link: "LinkDown"}},
		Sensors: []models.BMCSensor{{Name: "Fan 3", Kind: "fan", Health: models.BMCHealthWarning}},
	}}
	p.causes()
	want := []models.BMCCause{{Part: "drive 2", Health: "Warning", State: "failure predicted"}, {Part: "NIC n", Health: "Critical", State: "LinkDown"}, {Part: "fan Fan 3", Health: "Warning"}}
	if !slices.Equal(p.found.Causes, want) {
		t.Errorf("%+v", p.found.Causes)
	}
}
