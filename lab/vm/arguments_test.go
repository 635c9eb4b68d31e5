package vm

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

func testSpec() Spec {
	return Spec{
		Name: "vm1", UUID: "00112233-4455-8677-8899-aabbccddeeff", Vendor: "ironworks", Product: "Lab machine", Serial: "LAB1", BIOSVersion: "2.4.1",
		Processor: "Lab CPU", CPUs: 2, MemoryMiB: 4096, MAC: "52:54:00:00:00:01", Address: netip.MustParseAddr("10.0.2.16"),
		Disks: []Disk{
			{Kind: NVMe, Name: "nvme0n1", SizeBytes: 20 << 30, Serial: "N1"},
			{Kind: SSD, Name: "sda", SizeBytes: 40 << 30, Serial: "S1", WWN: 0x5000c50000000001, Vendor: "VM", Product: "SSD"},
			{Kind: HDD, Name: "sdb", SizeBytes: 100 << 30, Serial: "S2", WWN: 0x5000c50000000002, Vendor: "VM", Product: "HDD"},
		},
		Forwards: []Forward{{netip.MustParseAddrPort("127.18.0.1:9999"), 9999}, {netip.MustParseAddrPort("127.18.0.1:2222"), 22}},
	}
}

// values returns all values of an option that may occur several times.
func values(args []string, option string) []string {
	var found []string
	for i := range len(args) - 1 {
		if args[i] == option {
			found = append(found, args[i+1])
		}
	}
	return found
}

func TestArguments(t *testing.T) {
	spec := testSpec()
	host := Host{Firmware: Firmware{Code: "/fw/code.fd"}, Accel: TCG}
	args := spec.arguments(host, "/lab/a,b", Boot{CD: "/lab/a,b/live.iso"}, time.Now())
	for option, want := range map[string][]string{
		"-machine": {"q35,accel=tcg"}, "-m": {"4096"}, "-smp": {"2"}, "-cpu": {"max,model-id=Lab CPU"}, "-rtc": nil,
		"-smbios": {
			"type=0,vendor=ironworks,version=2.4.1,uefi=on",
			"type=1,manufacturer=ironworks,product=Lab machine,serial=LAB1,uuid=00112233-4455-8677-8899-aabbccddeeff",
		},
		"-netdev": {"user,id=net,hostname=vm1,host=10.0.2.2,dhcpstart=10.0.2.16,hostfwd=tcp:127.18.0.1:9999-:9999,hostfwd=tcp:127.18.0.1:2222-:22"},
		"-drive": {
			"if=pflash,unit=0,format=raw,readonly=on,file=/fw/code.fd", "if=pflash,unit=1,format=raw,file=/lab/a,,b/vars.fd",
			"if=none,id=disk0,format=qcow2,discard=unmap,file=/lab/a,,b/nvme0n1.qcow2",
			"if=none,id=disk1,format=qcow2,discard=unmap,file=/lab/a,,b/sda.qcow2",
			"if=none,id=disk2,format=qcow2,discard=unmap,file=/lab/a,,b/sdb.qcow2",
			"if=none,id=cd,media=cdrom,readonly=on,format=raw,file=/lab/a,,b/live.iso",
		},
		"-device": {
			"isa-serial,chardev=serial", "virtio-rng-pci,addr=0x4", "virtio-net-pci,netdev=net,mac=52:54:00:00:00:01,addr=0x2,speed=10000,duplex=full",
			"virtio-scsi-pci,id=scsi,addr=0x3", "nvme,id=nvme0,serial=N1,addr=0x8",
			"nvme-ns,bus=nvme0,drive=disk0,nsid=1,uuid=00000000-0000-0000-0000-000000000000",
			"scsi-hd,bus=scsi.0,channel=0,scsi-id=0,lun=0,drive=disk1,serial=S1,wwn=0x5000c50000000001,vendor=VM,product=SSD,rotation_rate=1",
			"scsi-hd,bus=scsi.0,channel=0,scsi-id=0,lun=1,drive=disk2,serial=S2,wwn=0x5000c50000000002,vendor=VM,product=HDD,rotation_rate=7200",
			"ide-cd,id=cd0,bus=ide.0,drive=cd",
		},
	} {
		if got := values(args, option); !slices.Equal(got, want) {
			t.Errorf("%s is\n%s\nwant\n%s", option, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if !slices.Contains(args, "-no-reboot") || slices.Contains(args, "-snapshot") {
		t.Errorf("arguments %q", args)
	}
}

func TestArgumentsOfBootFile(t *testing.T) {
	spec := testSpec()
	spec.BootFile = "http://10.0.2.2:8080/boot.ipxe"
	if got := values(spec.arguments(Host{}, "/lab", Boot{}, time.Now()), "-netdev")[0]; !strings.Contains(got, ",bootfile=http://10.0.2.2:8080/boot.ipxe,hostfwd=") {
		t.Errorf("network %q", got)
	}
}

func TestArgumentsOfFaults(t *testing.T) {
	spec := testSpec()
	spec.Isolated, spec.ClockOffset = true, 26*time.Hour
	args := spec.arguments(Host{}, "/lab", Boot{}, time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC))
	if got := values(args, "-rtc"); !slices.Equal(got, []string{"base=2026-03-03T01:00:00"}) {
		t.Errorf("clock %q", got)
	}
	if got := values(args, "-netdev")[0]; !strings.Contains(got, ",restrict=on,") {
		t.Errorf("network %q", got)
	}
	if devices := values(args, "-device"); devices[len(devices)-1] != "ide-cd,id=cd0,bus=ide.0" {
		t.Errorf("the empty drive is %q", devices[len(devices)-1])
	}
}

func TestSpecCheck(t *testing.T) {
	if spec := testSpec(); spec.check() != nil {
		t.Error(spec.check())
	}
	for name, change := range map[string]func(*Spec){
		"a comma in the name":             func(s *Spec) { s.Name = "vm,addr=0x9" },
		"a folder as a disk":              func(s *Spec) { s.Disks[0].Name = "../sda" },
		"an odd size":                     func(s *Spec) { s.Disks[0].SizeBytes = 1000 },
		"no MAC":                          func(s *Spec) { s.MAC = "" },
		"a boot file that is two options": func(s *Spec) { s.BootFile = "http://x/,restrict=on" },
		"no memory":                       func(s *Spec) { s.MemoryMiB = 0 },
		"nine disks":                      func(s *Spec) { s.Disks = slices.Repeat(s.Disks[:1], 9) },
	} {
		spec := testSpec()
		change(&spec)
		if spec.check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
