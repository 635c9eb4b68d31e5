package linux_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"ironworks/agent"
	"ironworks/agent/linux"
)

func TestInstall(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var seen string
	b.programs["coreos-installer"] = func(command linux.Command) agent.Output {
		seen = b.read(t, "/tmp/ironic.ign")
		info, err := os.Stat(filepath.Join(b.Root, "tmp/ironic.ign"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("others can read the configuration: %v %v", info.Mode(), err)
		}
		command.Line("Installing")
		return agent.Output{}
	}
	var lines []string
	install := agent.Install{Device: "/dev/sda", Ignition: []byte("{}"), AppendKargs: []string{"a=1"}, ImageURL: "http://x/i.raw", CopyNetwork: true}
	if err := b.machine.Install(t.Context(), install, func(line string) { lines = append(lines, line) }); err != nil {
		t.Fatal(err)
	}
	b.want(t, "coreos-installer install --preserve-on-error --ignition-file /tmp/ironic.ign --append-karg a=1 --image-url http://x/i.raw --insecure --copy-network /dev/sda")
	if seen != "{}" || !slices.Equal(lines, []string{"Installing"}) {
		t.Errorf("the installer read %q and printed %q", seen, lines)
	}
	if _, err := os.Stat(filepath.Join(b.Root, "tmp/ironic.ign")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the configuration is still there: %v", err)
	}

	b.fails(1, "", "coreos-installer")
	var exit *agent.ExitError
	if err := b.machine.Install(t.Context(), agent.Install{Device: "/dev/sda"}, nil); !errors.As(err, &exit) || exit.Code != 1 {
		t.Errorf("a failed installer is %v", err)
	}
	b.want(t, "coreos-installer install --preserve-on-error --offline /dev/sda")
	delete(b.programs, "coreos-installer")
	if err := b.machine.Install(t.Context(), agent.Install{Device: "/dev/sda"}, nil); !errors.Is(err, agent.ErrNoInstaller) {
		t.Errorf("a missing installer is %v", err)
	}
}

const espListing = "sda disk \nsda1 part 21686148-6449-6e6f-744e-656564454649\nsda2 part c12a7328-f81f-11d2-ba4b-00a0c93ec93b\n"

// bootable returns a host whose disk has an EFI system partition with the given files.
func bootable(t *testing.T, files map[string]string) *bench {
	t.Helper()
	b := newBench(t)
	b.answers("", "partx", "udevadm", "umount", "efibootmgr -b", "efibootmgr -v -c")
	b.answers(espListing, "lsblk -nro")
	b.answers("BootCurrent: 0001\nBoot0003* ironic1\tHD(1,GPT,0-0)\nBoot000A* Fedora\tHD(2,GPT,0-0)/File(x)\n", "efibootmgr -v")
	b.write(t, "/sys/class/block/sda2/partition", "2\n")
	b.programs["mount /dev/sda2"] = func(command linux.Command) agent.Output {
		for name, content := range files {
			b.write(t, filepath.Join(command.Argv[2], name), content)
		}
		return agent.Output{}
	}
	return b
}

func TestBootFromBootLoader(t *testing.T) {
	t.Parallel()
	b := bootable(t, map[string]string{"EFI/BOOT/BOOTX64.EFI": "", "EFI/BOOT/readme.txt": ""})
	if err := b.machine.BootFrom(t.Context(), "/dev/sda"); err != nil {
		t.Fatal(err)
	}
	b.want(t, "efibootmgr -b 0003 -B", `efibootmgr -v -c -d /dev/sda -p 2 -w -L ironic1 -l \EFI\BOOT\BOOTX64.EFI`)
	if b.ran("efibootmgr -b 000A -B") {
		t.Error("the entry of another system was removed")
	}
}

func TestBootFromList(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	for _, unit := range utf16.Encode([]rune("\ufeffshimx64.efi,Fedora,,This is the boot entry\n")) {
		list.WriteByte(byte(unit))
		list.WriteByte(byte(unit >> 8))
	}
	b := bootable(t, map[string]string{"EFI/fedora/BOOTX64.CSV": list.String(), "EFI/fedora/shimx64.efi": ""})
	if err := b.machine.BootFrom(t.Context(), "/dev/sda"); err != nil {
		t.Fatal(err)
	}
	b.want(t, "efibootmgr -b 000A -B", `efibootmgr -v -c -d /dev/sda -p 2 -w -L Fedora -l \EFI\fedora\shimx64.efi`)
}

func TestBootFromNothing(t *testing.T) {
	t.Parallel()
	b := bootable(t, nil)
	if err := b.machine.BootFrom(t.Context(), "/dev/sda"); err == nil || !strings.Contains(err.Error(), "no boot loader") {
		t.Errorf("an empty partition: %v", err)
	}
	b.answers("sda disk \nsda1 part 0fc63daf-8483-4772-8e79-3d69d8477de4\n", "lsblk -nro")
	if err := b.machine.BootFrom(t.Context(), "/dev/sda"); !errors.Is(err, agent.ErrNoEFIPartition) {
		t.Errorf("no partition: %v", err)
	}
}

func TestEraseMetadata(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(t, "/dev/sda", strings.Repeat("x", 1<<20))
	b.answers("512\n", "blockdev --getss")
	b.answers("", "wipefs", "sgdisk", "lsblk -nro")
	if err := b.machine.Erase(t.Context(), agent.Erase{Device: "/dev/sda"}); err != nil {
		t.Fatal(err)
	}
	const table = 33 * 512
	content := b.read(t, "/dev/sda")
	zeros := strings.Repeat("\x00", table)
	if len(content) != 1<<20 || content[:table] != zeros || content[len(content)-table:] != zeros || strings.Count(content, "x") != 1<<20-2*table {
		t.Error("not exactly both tables were overwritten")
	}
	b.want(t, "wipefs --force --all /dev/sda", "sgdisk -Z /dev/sda")
	b.fails(1, "wipefs: probing failed", "wipefs")
	if err := b.machine.Erase(t.Context(), agent.Erase{Device: "/dev/sda"}); err == nil || !strings.Contains(err.Error(), "probing failed") {
		t.Errorf("a failed wipefs: %v", err)
	}
}

const ataSecurity = "\n/dev/sda:\n\nSecurity: \n\tMaster password revision code = 65534\n\t\tsupported\n\tnot\tenabled\n\tnot\tlocked\n\tnot\tfrozen\n\t\tsupported: enhanced erase\n"

func TestEraseAll(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.answers(ataSecurity, "hdparm -I")
	b.answers("", "hdparm --user-master", "shred", "nvme format", "lsblk -nro")
	erase := func(device string) error {
		return b.machine.Erase(t.Context(), agent.Erase{Device: device, Depth: agent.EraseAll})
	}
	if err := erase("/dev/sda"); err != nil {
		t.Fatal(err)
	}
	b.want(t, "hdparm --user-master u --security-set-pass NULL /dev/sda", "hdparm --user-master u --security-erase-enhanced NULL /dev/sda")

	b.answers(strings.Replace(ataSecurity, "not\tfrozen", "\tfrozen", 1), "hdparm -I")
	if err := erase("/dev/sda"); err == nil || !strings.Contains(err.Error(), "frozen") {
		t.Errorf("a frozen disk: %v", err)
	}
	b.answers("\n/dev/sda:\n", "hdparm -I")
	if err := erase("/dev/sda"); err != nil {
		t.Fatal(err)
	}
	b.want(t, "shred --force --zero --verbose --iterations 1 /dev/sda")

	b.answers("oacs      : 0x1e\nfna       : 0x4\n", "nvme id-ctrl")
	b.answers("lbaf  0 : ms:0   lbads:9  rp:0 \nlbaf  1 : ms:0   lbads:12 rp:0 (in use)\n", "nvme id-ns")
	if err := erase("/dev/nvme0n1"); err != nil {
		t.Fatal(err)
	}
	b.want(t, "nvme format /dev/nvme0n1 -l 1 -s 2 -f")

	b.fails(1, "NVMe status: Access denied", "nvme format")
	request := agent.Erase{Device: "/dev/nvme0n1", Depth: agent.EraseAll, Shred: true, Passes: 3, Random: true}
	if err := b.machine.Erase(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	b.want(t, "shred --force --verbose --iterations 3 /dev/nvme0n1")
}

// TestSharedDisksAreNotErased checks that disks are protected if several machines may use their content: VMFS with
// GPT and MBR, and GFS2.
func TestSharedDisksAreNotErased(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.answers("512\n", "blockdev --getss")
	b.answers("", "wipefs", "sgdisk")
	b.write(t, "/dev/sda", "content")
	for _, content := range []string{" \nAA31E02A-400F-11DB-9590-000C2911D1B8 VMFS_volume_member\n", "0xfb \n", " gfs2\n"} {
		b.answers(content, "lsblk -nro")
		var protected *agent.ProtectedError
		if err := b.machine.Erase(t.Context(), agent.Erase{Device: "/dev/sda"}); !errors.As(err, &protected) || b.read(t, "/dev/sda") != "content" {
			t.Errorf("a disk with %q: %v", content, err)
		}
	}
	if err := b.machine.Erase(t.Context(), agent.Erase{Device: "/dev/sda", Unguarded: true}); err != nil || b.read(t, "/dev/sda") == "content" {
		t.Errorf("without the guard: %v", err)
	}
}

func TestWriteRawImage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	image := []byte(strings.Repeat("i", 5<<20))
	copy(image[440:], "\x78\x56\x34\x12")
	b.write(t, "/dev/sda", strings.Repeat("x", 6<<20))
	b.answers("disk\npart\n", "lsblk -nro TYPE")
	write := agent.ImageWrite{Device: "/dev/sda", Format: "raw"}
	identifier, err := b.machine.WriteImage(t.Context(), write, strings.NewReader(string(image)))
	if err != nil || identifier != "0x12345678" {
		t.Errorf("the identifier is %q, %v", identifier, err)
	}
	if content := b.read(t, "/dev/sda"); content != string(image)+strings.Repeat("x", 1<<20) {
		t.Error("the disk does not have the image")
	}
	b.answers("disk\n", "lsblk -nro TYPE")
	if _, err := b.machine.WriteImage(t.Context(), write, strings.NewReader("empty")); !errors.Is(err, agent.ErrNoPartitions) {
		t.Errorf("an image without partitions: %v", err)
	}
	write.Format = "qcow2"
	if _, err := b.machine.WriteImage(t.Context(), write, strings.NewReader("")); !errors.Is(err, agent.ErrNoProgram) || !strings.Contains(err.Error(), "qemu-img is not installed") {
		t.Errorf("without qemu-img: %v", err)
	}
}

func TestMountAndUnmount(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	after := map[string]string{}
	b.programs["mount /dev/sda1"] = func(command linux.Command) agent.Output {
		b.write(t, filepath.Join(command.Argv[2], "etc/hosts"), "old")
		b.write(t, filepath.Join(command.Argv[2], "etc/gone"), "old")
		b.write(t, filepath.Join(command.Argv[2], "etc/same"), "old")
		return agent.Output{}
	}
	b.programs["umount"] = func(command linux.Command) agent.Output {
		folder := filepath.Join(b.Root, command.Argv[1])
		_ = filepath.WalkDir(folder, func(name string, entry fs.DirEntry, _ error) error {
			if !entry.IsDir() {
				content, _ := os.ReadFile(name)
				info, _ := entry.Info()
				relative, _ := filepath.Rel(folder, name)
				after[relative] = string(content) + " " + info.Mode().Perm().String()
			}
			return nil
		})
		_ = os.RemoveAll(filepath.Join(folder, "etc")) // the files disappear, as after umount
		_ = os.RemoveAll(filepath.Join(folder, "opt"))
		return agent.Output{}
	}
	files, err := b.machine.Mount(t.Context(), "/dev/sda1")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(f agent.File) bool { return f.Path == "etc/gone" })
	for i := range files {
		if files[i].Path == "etc/hosts" {
			files[i].Content = []byte("new")
		}
	}
	files = append(files, agent.File{Path: "opt", Folder: true, Mode: 0o700}, agent.File{Path: "opt/tool", Content: []byte("#!"), Mode: 0o755})
	if err := b.machine.Unmount(t.Context(), "/dev/sda1", files); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"etc/hosts": "new -rw-------", "etc/same": "old -rw-------", "opt/tool": "#! -rwxr-xr-x"}
	if len(after) != len(want) {
		t.Errorf("afterwards the file system has %v", after)
	}
	for name, content := range want {
		if after[name] != content {
			t.Errorf("%s has %q, want %q", name, after[name], content)
		}
	}
	b.fails(32, "mount: /tmp/x: unknown filesystem type 'LVM2_member'.", "mount /dev/sda1")
	var refused *agent.MountError
	if _, err := b.machine.Mount(t.Context(), "/dev/sda1"); !errors.As(err, &refused) {
		t.Errorf("a device without a file system: %v", err)
	}
}

// TestInjectionStaysInTheImage checks that a symbolic link in an image cannot redirect an injected file to the host.
func TestInjectionStaysInTheImage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(t, "/etc/passwd", "the host's")
	b.answers("", "umount")
	b.programs["mount /dev/sda1"] = func(command linux.Command) agent.Output {
		_ = os.Symlink(filepath.Join(b.Root, "etc"), filepath.Join(b.Root, command.Argv[2], "etc"))
		return agent.Output{}
	}
	files, err := b.machine.Mount(t.Context(), "/dev/sda1")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, agent.File{Path: "etc/passwd", Content: []byte("evil"), Mode: 0o644})
	if err := b.machine.Unmount(t.Context(), "/dev/sda1", files); err == nil {
		t.Error("a file outside of the image was written")
	}
	if content := b.read(t, "/etc/passwd"); content != "the host's" {
		t.Errorf("the host's file has %q", content)
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fails(5, "Failed to start agent.service: Unit agent.service not found.\n", "systemctl start")
	b.answers("ActiveState=failed\nResult=exit-code\n", "systemctl show")
	if err := b.machine.StartUnit(t.Context(), "agent.service"); err == nil || err.Error() != "Unit agent.service not found." {
		t.Errorf("an unknown unit: %v", err)
	}
	state, err := b.machine.UnitState(t.Context(), "agent.service")
	if want := (agent.UnitState{Active: "failed", Result: "exit-code"}); err != nil || state != want {
		t.Errorf("the state is %+v, %v", state, err)
	}
}
