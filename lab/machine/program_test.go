package machine

import (
	"slices"
	"strings"
	"testing"
)

func workbench(t *testing.T) *Machine {
	t.Helper()
	m, err := New(Spec{
		Name: "m1", User: "u", Password: "p", NICs: []NIC{{Name: "eno1", MAC: "52:54:00:00:00:01"}},
		Disks: []Disk{{Name: "/dev/sda", SizeBytes: 200 * gib}, {Name: "/dev/nvme0n1", SizeBytes: 300 * gib}},
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// runs executes the given command lines, and fails the test if one of them fails. It returns the output of the last
// one.
func runs(t *testing.T, m *Machine, lines ...string) string {
	t.Helper()
	var last Output
	for _, line := range lines {
		if last = m.Execute(strings.Fields(line)); last.Code != 0 {
			t.Fatalf("%s: exit %d, %s", line, last.Code, last.Stderr)
		}
	}
	return last.Stdout
}

func TestPartitions(t *testing.T) {
	m := workbench(t)
	got := runs(t, m,
		"parted /dev/sda -s -- mklabel gpt", "parted /dev/sda -s -a optimal -- mkpart primary 551MiB 50GiB",
		"parted -a optimal -s /dev/sda -- unit MiB mkpart primary fat32 1 551 set 2 boot on", "mkfs -t vfat -n efi-part /dev/sda2",
		"parted /dev/sda -s -a optimal -- mkpart primary 50GiB -1", "parted -s -m /dev/sda unit MiB print")
	want := "BYT;\n/dev/sda:204800.00MiB:scsi:512:4096:gpt::;\n1:551.00MiB:51200.00MiB:50649.00MiB::primary:;\n" +
		"2:1.00MiB:551.00MiB:550.00MiB:fat32:primary:boot;\n3:51200.00MiB:204799.00MiB:153599.00MiB::primary:;\n"
	if got != want {
		t.Errorf("parted prints\n%swant\n%s", got, want)
	}
	if got := runs(t, m, "blkid -s LABEL -o value /dev/sda2"); got != "efi-part\n" {
		t.Errorf("the label is %q", got)
	}
	runs(t, m, "wipefs -af /dev/sda")
	if d := m.Disks()[0]; d.Table != "" || len(d.Partitions) > 0 {
		t.Errorf("after wipefs there is %+v", d)
	}
}

func TestProgramsFail(t *testing.T) {
	m := workbench(t)
	runs(t, m, "parted /dev/sda -s -- mklabel gpt", "parted /dev/sda -s -- mkpart primary 1MiB 10GiB")
	for line, want := range map[string]string{
		"parted /dev/sda -s -- mkpart primary 10GiB 5000GiB":        "Error: The location 5000GiB is outside of the device /dev/sda.\n",
		"parted /dev/sda -s -- mkpart primary 5GiB 20GiB":           "Error: Unable to satisfy all constraints on the partition.\n",
		"parted -s -m /dev/nvme0n1 unit MiB print":                  "Error: /dev/nvme0n1: unrecognised disk label\n",
		"parted /dev/sdx -s -- mklabel gpt":                         "Error: Could not stat device /dev/sdx - No such file or directory.\n",
		"parted /dev/sda rm 7":                                      "Error: Partition doesn't exist.\n",
		"mdadm --examine /dev/sda1":                                 "mdadm: No md superblock detected on /dev/sda1.\n",
		"mdadm --detail /dev/sda":                                   "mdadm: /dev/sda does not appear to be an md device\n",
		"mdadm --create /dev/md0 --level 1 --raid-devices 1 /dev/x": "mdadm: cannot open /dev/x: No such file or directory\n",
		"lsblk --fs /dev/sdx":                                       "lsblk: /dev/sdx: not a block device\n",
		"wipefs -a /dev/sda9":                                       "wipefs: error: /dev/sda9: probing initialization failed: No such file or directory\n",
		"efibootmgr -b 00FF -B":                                     "Could not delete variable: No such file or directory\n",
		"gcc x.c":                                                   "gcc: command not found\n",
	} {
		if got := m.Execute(strings.Fields(line)); got.Code == 0 || got.Stderr != want {
			t.Errorf("%s: exit %d, %q, want %q", line, got.Code, got.Stderr, want)
		}
	}
}

func TestArrays(t *testing.T) {
	m := workbench(t)
	runs(t, m,
		"parted /dev/sda -s -- mklabel gpt", "parted /dev/sda -s -- mkpart primary 1MiB 10GiB",
		"parted /dev/nvme0n1 -s -- mklabel gpt", "parted /dev/nvme0n1 -s -- mkpart primary 1MiB 10GiB",
		"mdadm --create /dev/md0 --force --run --metadata=1 --level 1 --name root --raid-devices 2 /dev/sda1 /dev/nvme0n1p1")
	arrays := m.Arrays()
	if len(arrays) != 1 || arrays[0].Kind() != "raid1" || arrays[0].Volume != "root" || !slices.Equal(arrays[0].Members, []string{"/dev/sda1", "/dev/nvme0n1p1"}) || arrays[0].SizeBytes >= 10*gib {
		t.Fatalf("the arrays are %+v", arrays)
	}
	if got := runs(t, m, "lsblk -o KNAME,TYPE"); got != "sda disk\nsda1 part\nmd0 raid1\nnvme0n1 disk\nnvme0n1p1 part\n" {
		t.Errorf("lsblk lists\n%s", got)
	}
	if got := runs(t, m, "lsblk --fs --noheadings /dev/nvme0n1"); !strings.Contains(got, "linux_raid_member") {
		t.Errorf("of the second disk lsblk says %q", got)
	}
	if err := m.Install("/dev/md0", Installation{What: "CoreOS"}); err != nil {
		t.Fatal(err)
	}
	if got := m.Execute([]string{"mdadm", "--zero-superblock", "/dev/sda1"}); got.Code == 0 {
		t.Error("a member of an array that runs lost its superblock")
	}
	runs(t, m, "mdadm --stop /dev/md0")
	if len(m.Arrays()) != 0 {
		t.Error("the array still runs")
	}
	runs(t, m, "mdadm --assemble --scan")
	if a := m.Arrays(); len(a) != 1 || a[0].Installed == nil {
		t.Errorf("assembled, the arrays are %+v", a)
	}
	runs(t, m, "wipefs -a /dev/sda")
	if a := m.Arrays(); len(a) != 1 || len(a[0].Members) != 1 {
		t.Errorf("with one disk wiped the arrays are %+v", a)
	}
	runs(t, m, "wipefs -a /dev/nvme0n1")
	if a := m.Arrays(); len(a) != 0 {
		t.Errorf("with both wiped there is %+v", a)
	}
}

func TestFiles(t *testing.T) {
	m := workbench(t)
	if err := m.Install("/dev/sda", Installation{What: "CoreOS"}); err != nil {
		t.Fatal(err)
	}
	for _, device := range []string{"/dev/sda1", "/dev/sda9"} {
		if _, err := m.Files(device); err == nil {
			t.Errorf("%s can be mounted", device)
		}
	}
	files, err := m.Files("/dev/disk/by-label/boot")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.SetFiles("/dev/sda3", append(files, File{Path: "x", Content: []byte("y")})); err != nil {
		t.Fatal(err)
	}
	again, err := m.Files("/dev/disk/by-uuid/96d15588-3596-4b3c-adca-a2ff7279ea63")
	if err != nil || len(again) != len(files)+1 {
		t.Errorf("then there are %v, %v", again, err)
	}
	if err := m.Wipe("/dev/sda"); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Files("/dev/sda3"); err == nil {
		t.Error("a wiped disk has files")
	}
}

func TestBootRecords(t *testing.T) {
	m := workbench(t)
	m.AddBootRecord("Fedora", "/dev/sda", `\EFI\fedora\shimx64.efi`)
	m.AddBootRecord("Fedora", "/dev/sda", `\EFI\fedora\shimx64.efi`)
	if got := runs(t, m, "efibootmgr -v"); strings.Count(got, "Fedora\tHD(2,GPT,") != 1 || !strings.Contains(got, "BootOrder: 0001,0002\n") {
		t.Errorf("the records are %s", got)
	}
	runs(t, m, "efibootmgr -b 0002 -B")
	if got := m.BootRecords(); len(got) != 1 || got[0].Number != 1 {
		t.Errorf("the records are %+v", got)
	}
}
