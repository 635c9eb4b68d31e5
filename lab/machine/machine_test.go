package machine

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const imageURL = "http://conductor.example/boot.iso"

// web is an HTTP transport that serves images from memory, by URL. The content "refused" simulates a server that
// cannot be reached. The content "endless" simulates an image of unknown length.
type web map[string]string

func (w web) RoundTrip(request *http.Request) (*http.Response, error) {
	body, ok := w[request.URL.String()]
	response := &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Request: request, ContentLength: int64(len(body))}
	switch {
	case body == "refused":
		return nil, errors.New("connection refused")
	case !ok:
		response.StatusCode, response.Status = http.StatusNotFound, "404 Not Found"
	case body == "endless":
		response.ContentLength = -1
		body = strings.Repeat("x", 1<<16)
	}
	response.Body = io.NopCloser(strings.NewReader(body))
	return response, nil
}

// recorder is a ramdisk that records its runs. It runs until its context is canceled or, if fails is not nil, returns
// that error immediately.
type recorder struct {
	fails error
	mu    sync.Mutex
	runs  []Media
	read  []string // contents of the images
	now   int      // number of runs that have not ended
	most  int
}

func (r *recorder) Run(ctx context.Context, _ *Machine, media Media) error {
	r.mu.Lock()
	r.runs = append(r.runs, media)
	r.now++
	r.most = max(r.most, r.now)
	if media.Path != "" {
		content, err := os.ReadFile(media.Path)
		if err != nil {
			content = []byte(err.Error())
		}
		r.read = append(r.read, string(content))
	}
	r.mu.Unlock()
	if r.fails == nil {
		<-ctx.Done()
		time.Sleep(time.Second) //nolint:forbidigo // the end of a system takes time, on the clock of the test
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now--
	return r.fails
}

// spec returns the hardware of a machine with two disks.
func spec() Spec {
	return Spec{
		Name: "m1", User: "admin", Password: "secret", CPUs: 8, MemoryMiB: 16384, Product: "R1",
		Disks: []Disk{
			{Name: "/dev/sda", SizeBytes: 480e9, Model: "SSD 1", Vendor: "ACME", Serial: "S1", WWN: "0x5000c500a1b2c3d4", HCTL: "0:0:0:0"},
			{Name: "/dev/sdb", SizeBytes: 4e12, Model: "HDD 1", Rotational: true},
		},
		NICs: []NIC{{Name: "eno1", MAC: "52:54:00:00:00:01", SpeedMbps: 25000}, {Name: "eno2", MAC: "52:54:00:00:00:02"}},
	}
}

// machineT returns a machine that is closed when the test ends.
func machineT(t *testing.T, s Spec, options Options) *Machine {
	t.Helper()
	options.Dir = t.TempDir()
	m, err := New(s, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		m.Close()
		left, err := os.ReadDir(options.Dir)
		if err != nil || len(left) != 0 {
			t.Errorf("files left after Close: %v, error %v", left, err)
		}
	})
	return m
}

func reset(t *testing.T, m *Machine, how ResetType) {
	t.Helper()
	if err := m.Reset(how); err != nil {
		t.Fatal(err)
	}
}

func TestSpec(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Spec)
		want   string // empty if the specification is valid
	}{
		{"complete", func(*Spec) {}, ""},
		{"no name", func(s *Spec) { s.Name = "" }, "the name may have"},
		{"a name with a slash", func(s *Spec) { s.Name = "a/b" }, "the name may have"},
		{"no password", func(s *Spec) { s.Password = "" }, "needs a user and a password"},
		{"a wrong MAC", func(s *Spec) { s.NICs[0].MAC = "52:54" }, "eno1"},
		{"a MAC in upper case", func(s *Spec) { s.NICs[0].MAC = "52:54:00:AB:00:01" }, "eno1"},
		{"the same interface twice", func(s *Spec) { s.NICs[1].Name = "eno1" }, "there twice"},
		{"the same disk twice", func(s *Spec) { s.Disks[1].Name = "/dev/sda" }, "there twice"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := spec()
			test.change(&s)
			m, err := New(s, Options{})
			if err == nil {
				m.Close()
			}
			if (err == nil) != (test.want == "") || (err != nil && !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestUUIDIsStable(t *testing.T) {
	if a, b := uuidOf("m1"), uuidOf("m2"); a != uuidOf("m1") || a == b || len(a) != 36 || a[14] != '8' {
		t.Errorf("UUIDs %s and %s", a, b)
	}
}

func TestDisks(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	m := machineT(t, spec(), Options{Now: func() time.Time { return at }})
	ignition := []byte(`{"ignition":{}}`)
	if err := m.Install("/dev/sdb", Installation{What: "CoreOS", Image: "http://x/y", Ignition: ignition}); err != nil {
		t.Fatal(err)
	}
	ignition[0] = 'X'
	got := m.Disks()
	if got[0].Installed != nil || got[1].Installed == nil || string(got[1].Installed.Ignition) != `{"ignition":{}}` || !got[1].Installed.At.Equal(at) {
		t.Fatalf("disks %+v, %+v", got[0], got[1].Installed)
	}
	got[1].Installed.What = "changed"
	if m.Disks()[1].Installed.What != "CoreOS" {
		t.Error("what is on the disk changed from outside")
	}
	if err := m.Wipe("/dev/sdb"); err != nil || m.Disks()[1].Installed != nil {
		t.Errorf("still there after wiping, error %v", err)
	}
	if err := errors.Join(m.Wipe("/dev/sdz")); !errors.Is(err, ErrNoDisk) {
		t.Errorf("wiping a disk that is not there: %v", err)
	}
	if err := m.Install("/dev/sdz", Installation{}); !errors.Is(err, ErrNoDisk) {
		t.Errorf("installing on a disk that is not there: %v", err)
	}
}

func TestEventsMayCallTheMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m *Machine
		var seen []string
		m = machineT(t, spec(), Options{OnEvent: func(e Event) {
			seen = append(seen, string(e.Kind)+" "+e.Text)
			if e.Kind == PowerChanged && e.Text == string(On) {
				reset(t, m, ForceOff)
			}
		}})
		reset(t, m, ResetOn)
		synctest.Wait()
		if m.Power() != Off {
			t.Errorf("power %s", m.Power())
		}
		for _, want := range []string{"power PoweringOn", "power On", "power PoweringOff", "power Off"} {
			if !slices.Contains(seen, want) {
				t.Errorf("no %q in %q", want, seen)
			}
		}
	})
}

func TestLogWraps(t *testing.T) {
	m := machineT(t, spec(), Options{})
	for range maxLog {
		m.restartBMC()
		m.Eject() // adds no entry to the log, because the drive is empty
	}
	m.restartBMC()
	entries := m.Log()
	if len(entries) != maxLog || entries[0].ID != 2 || entries[maxLog-1].ID != maxLog+1 {
		t.Errorf("%d entries from %d on", len(entries), entries[0].ID)
	}
	m.ClearLog()
	if len(m.Log()) != 0 {
		t.Error("not empty after clearing")
	}
}

// TestManyGoroutines calls methods of one machine concurrently so that the race detector can check them. It also
// checks that only one ramdisk runs at a time.
func TestManyGoroutines(t *testing.T) {
	ramdisk := &recorder{fails: errors.New("ends at once")}
	events := 0 // needs no lock, because events arrive one at a time
	m := machineT(t, spec(), Options{
		Ramdisk: ramdisk.Run, Client: clientOf(web{imageURL: "iso"}), OnEvent: func(Event) { events++ },
		PowerOnTime: time.Millisecond, PowerOffTime: time.Millisecond, FirmwareTime: time.Millisecond,
	})
	r := rackT(t, m)
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			for j := range 50 {
				_ = m.Reset(resetTypes()[(i+j)%len(resetTypes())])
				_ = m.Insert(VirtualMedia{URL: imageURL, Inserted: true})
				_ = m.SetOverride(BootOverride{Target: Cd, Enabled: Continuous})
				_ = m.Install("/dev/sda", Installation{What: "CoreOS"})
				for _, path := range []string{m.SystemPath(), m.managerPath() + "/VirtualMedia/Cd", m.logPath() + "/Entries", m.chassisPath() + "/Thermal"} {
					if w := call(t, r, http.MethodGet, path, ""); w.Code != http.StatusOK {
						t.Errorf("%s: status %d", path, w.Code)
					}
				}
				_ = m.Wipe("/dev/sda")
				m.Eject()
			}
		})
	}
	work.Wait()
	m.Close()
	if events == 0 || ramdisk.most > 1 {
		t.Errorf("%d events, %d ramdisks at once", events, ramdisk.most)
	}
}
