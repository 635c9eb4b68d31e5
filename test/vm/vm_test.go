package vm

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ironworks/lab"
	"ironworks/lab/machine"
	"ironworks/lab/vm"
)

// bench is a lab of one virtual machine with two disks, and a web server for its media.
type bench struct {
	machine *lab.Machine
	host    vm.Host
	folder  string
	serial  *line
	web     *httptest.Server

	mu     sync.Mutex
	events []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	host, err := vm.FindHost(t.Context(), vm.HostOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("accelerator %s (%s)", host.Accel, host.NoKVM)
	folder := t.TempDir()
	b := &bench{host: host, folder: filepath.Join(folder, "vm1")}
	l, err := lab.Start(t.Context(), lab.Options{
		Dir: folder, OnEvent: b.recordEvent,
		Virtual: &lab.VirtualOptions{
			Host: host, Dir: folder, MemoryMiB: 512, CPUs: 1,
			Disks: []vm.DiskRequest{{Kind: vm.NVMe, Size: 1 << 30}, {Kind: vm.SSD, Size: 1 << 30}},
		},
	}, lab.VirtualMembers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	b.machine = l.Machines()[0]
	b.serial = serialLine(t, b.machine.SerialAddress())
	cd := grubISO(t, "medium")
	// Like some real servers, this server does not support ranges.
	b.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		content, err := os.ReadFile(cd)
		if err == nil {
			_, _ = w.Write(content)
		}
	}))
	t.Cleanup(b.web.Close)
	return b
}

func (b *bench) recordEvent(e machine.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, string(e.Kind)+" "+e.Text)
}

func (b *bench) hasEvent(text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Contains(strings.Join(b.events, "\n"), text)
}

func (b *bench) reset(t *testing.T, how machine.ResetType) {
	t.Helper()
	if err := b.machine.Reset(how); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) boots(t *testing.T, override machine.BootOverride) {
	t.Helper()
	if err := b.machine.SetOverride(override); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) waitOff(t *testing.T) {
	t.Helper()
	until(t, "the machine is off", func() bool { return b.machine.Power() == machine.Off })
}

// fill writes the given image to the machine's SCSI disk. The machine must be off.
func (b *bench) fill(t *testing.T, image string) {
	t.Helper()
	run(t, b.host.Img, "convert", "-n", "-O", "qcow2", image, filepath.Join(b.folder, "sda.qcow2"))
}

// TestLifeOfAMachine checks boot order, power, virtual media and snapshots in a single test, because each boot takes
// a long time.
func TestLifeOfAMachine(t *testing.T) {
	b := newBench(t)
	b.fill(t, grubISO(t, "installed"))
	if err := b.machine.Insert(machine.VirtualMedia{URL: b.web.URL + "/boot.iso", Inserted: true}); err != nil {
		t.Fatal(err)
	}

	// The one-time override boots the medium and is then used up: the next boot uses the firmware's order.
	b.boots(t, machine.BootOverride{Target: machine.Cd, Enabled: machine.Once})
	b.reset(t, machine.ResetOn)
	b.serial.expect("medium is up")
	b.serial.order("halt")
	b.waitOff(t)
	if !b.hasEvent("guest ended powered off") {
		t.Errorf("events: %q", b.events)
	}

	// The override boots the disk although the medium is still inserted. This also applies after a reset by the
	// guest.
	b.boots(t, machine.BootOverride{Target: machine.Hdd, Enabled: machine.Continuous})
	b.reset(t, machine.ResetOn)
	b.serial.expect("installed is up")
	b.serial.order("reboot")
	b.serial.expect("installed is up")
	if !b.hasEvent("guest ended reset") || b.machine.Power() != machine.On {
		t.Errorf("power %s, events: %q", b.machine.Power(), b.events)
	}

	// GRUB ignores the power button: the machine stays on until it is forced off.
	b.reset(t, machine.GracefulShutdown)
	b.serial.order("anything")
	b.reset(t, machine.ForceRestart)
	b.serial.expect("installed is up")
	b.machine.Eject()
	b.reset(t, machine.ForceOff)
	b.waitOff(t)

	b.snapshots(t)

	// Without an override or a medium, the firmware boots the disk.
	b.boots(t, machine.BootOverride{Target: machine.None})
	b.reset(t, machine.ResetOn)
	b.serial.expect("installed is up")
	if err := vm.Snapshot(t.Context(), b.host, b.folder, "while-on"); err == nil {
		t.Error("took a snapshot of a machine that is on")
	}
	b.serial.order("halt")
	b.waitOff(t)
}

// snapshots checks that a snapshot of the disk can be taken, and restored after the disk has been erased.
func (b *bench) snapshots(t *testing.T) {
	t.Helper()
	until(t, "QEMU has ended", func() bool { return vm.Snapshot(t.Context(), b.host, b.folder, "installed") == nil })
	empty := filepath.Join(t.TempDir(), "empty.raw")
	if err := os.WriteFile(empty, bytes.Repeat([]byte("erased "), 8<<20), 0o600); err != nil { // overwrites all boot code
		t.Fatal(err)
	}
	b.fill(t, empty)
	if err := vm.Restore(t.Context(), b.host, b.folder, "installed"); err != nil {
		t.Fatal(err)
	}
	if names, err := vm.Snapshots(b.folder); err != nil || len(names) != 1 || names[0] != "installed" {
		t.Errorf("snapshots %v, %v", names, err)
	}
}
