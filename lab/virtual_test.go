package lab

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ironworks/agent"
	"ironworks/ignition/image"
	"ironworks/lab/machine"
	"ironworks/lab/vm"
)

// virtualMember sets the unset fields of m to the defaults that a lab of virtual machines uses, and returns m.
func virtualMember(t *testing.T, m Member) Member {
	t.Helper()
	o := &VirtualOptions{MemoryMiB: 4096, CPUs: 2, Disks: []vm.DiskRequest{{Kind: vm.NVMe, Size: 20 << 30}, {Kind: vm.SSD, Size: 40 << 30}, {Kind: vm.HDD, Size: 100 << 30}}}
	taken := map[string]bool{}
	m.virtual(o, taken)
	if err := m.complete(taken); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestVirtualMember(t *testing.T) {
	m := virtualMember(t, VirtualMembers(2)[1])
	if m.Name != "vm2" || m.CPUs != 2 || m.MemoryMiB != 4096 || len(m.MACs) != 1 {
		t.Errorf("got %+v", m)
	}
	var kinds []vm.DiskKind
	serials := map[string]bool{}
	for _, d := range m.Disks {
		disk, err := virtualDisk(d)
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, disk.Kind)
		serials[disk.Serial] = true
		if disk.SizeBytes != d.SizeBytes || disk.Kind != vm.NVMe && disk.WWN>>36 != 0x5000c50 {
			t.Errorf("disk %+v of %+v", disk, d)
		}
	}
	if !reflect.DeepEqual(kinds, []vm.DiskKind{vm.NVMe, vm.SSD, vm.HDD}) || len(serials) != 3 {
		t.Errorf("kinds %v, serials %v", kinds, serials)
	}
	// A machine defined in a file keeps its settings.
	own := virtualMember(t, Member{Name: "n1", CPUs: 4, MemoryMiB: 2048, MACs: []string{"52:54:00:00:00:01"}})
	if own.CPUs != 4 || own.MemoryMiB != 2048 || own.MACs[0] != "52:54:00:00:00:01" {
		t.Errorf("got %+v", own)
	}
}

func TestInvalidVirtualDisk(t *testing.T) {
	for says, d := range map[string]machine.Disk{
		"64 bits":                {Name: "/dev/sda", WWN: "0x60002ac0000000000000000500012345"},
		"such as 0x5000c500":     {Name: "/dev/sda"},
		"longer than SCSI":       {Name: "/dev/sda", WWN: "0x1", Model: "SAMSUNG MZQL2960HCJR-00A07"},
		`has model "QEMU NVMe C`: {Name: "/dev/nvme0n1", Serial: "S", WWN: "eui.0011223344556677", Model: "SAMSUNG"},
	} {
		if _, err := virtualDisk(d); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want an error with %q", d, err, says)
		}
	}
}

func TestScenariosOfVirtualMachines(t *testing.T) {
	can := []string{"ok", "no-disk-matches", "two-disks-match", "bmc-password", "bmc-stalls", "boots-but-no-route", "wrong-mac", "clock-skew", "iso-404", "power-stuck"}
	var got []string
	for _, s := range Scenarios() {
		if CheckVirtual([]Member{{Name: "vm1", Scenario: s}}) == nil {
			got = append(got, s.Name)
		}
	}
	if !reflect.DeepEqual(got, can) {
		t.Errorf("virtual machines can have\n%v, want\n%v", got, can)
	}
	if err := CheckVirtual(VirtualMembers(MaxVirtual + 1)); err == nil {
		t.Error("too many machines were accepted")
	}
	spec, err := virtualSpecOf(t, Scenario{Agent: agent.Faults{NoRoute: true, ClockSkew: time.Hour}})
	if err != nil || !spec.Isolated || spec.ClockOffset != time.Hour {
		t.Errorf("got %+v, %v", spec, err)
	}
}

// virtualSpecOf returns the hardware of a lab's second machine. The machine has the given scenario.
func virtualSpecOf(t *testing.T, s Scenario) (vm.Spec, error) {
	t.Helper()
	member := virtualMember(t, Member{Name: "vm2", Scenario: s})
	l := &Lab{options: Options{Virtual: &VirtualOptions{}, SSHPort: 2222}}
	spec, err := member.spec(BMCPassword).Completed()
	if err != nil {
		t.Fatal(err)
	}
	return l.virtualSpec(&Machine{member: member, lab: l, number: 1}, spec)
}

func TestVirtualSpec(t *testing.T) {
	spec, err := virtualSpecOf(t, Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	var forwards []string
	for _, f := range spec.Forwards {
		forwards = append(forwards, f.From.String())
	}
	if !reflect.DeepEqual(forwards, []string{"127.18.0.2:9999", "127.18.0.2:2222"}) || spec.Address.String() != "10.0.2.17" || spec.UUID == "" || spec.Isolated {
		t.Errorf("got %+v", spec)
	}
}

func TestEditMedium(t *testing.T) {
	iso, err := LiveISO(nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "live.iso")
	if err := os.WriteFile(path, iso, 0o600); err != nil {
		t.Fatal(err)
	}
	want := liveKargs + " ipa-advertise-host=127.18.0.1 " + serialKarg
	for range 2 { // the second time, there is nothing to do
		if err := editMedium(path, []string{"ipa-advertise-host=127.18.0.1"}); err != nil {
			t.Fatal(err)
		}
		edited, err := image.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		kargs, err := edited.Kargs()
		_ = edited.Close()
		if err != nil || kargs.Current != want {
			t.Errorf("got %q, %v; want %q", kargs.Current, err, want)
		}
	}
	if err := os.WriteFile(path, []byte("no image"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := editMedium(path, []string{"a=b"}); err == nil {
		t.Error("something else than an ISO was edited")
	}
}
