package machine

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Output holds the output of a simulated program and its exit status.
type Output struct {
	Stdout, Stderr string
	Code           int
}

// NotFound is the exit status for a program that the ramdisk does not contain.
const NotFound = 127

func fails(code int, format string, args ...any) Output {
	return Output{Stderr: fmt.Sprintf(format, args...), Code: code}
}

// noOutput contains the names of programs that print nothing and have no visible effect.
var noOutput = []string{
	"dd", "fuser", "hwclock", "ip", "journalctl", "modprobe", "partprobe", "partx", "sync", "udevadm",
}

// Execute simulates the programs that a ramdisk uses to manage disks: parted, sgdisk, mdadm, lsblk, blkid, blockdev,
// efibootmgr, wipefs, mkswap and mkfs. It supports what ironic-python-agent uses.
func (m *Machine) Execute(argv []string) Output {
	name := path.Base(argv[0])
	if slices.Contains(noOutput, name) {
		if name == "fuser" {
			return Output{Code: 1} // no process uses the device
		}
		return Output{}
	}
	args := argv[1:]
	if len(args) == 0 && name != "lsblk" {
		if name == "blkid" {
			return Output{} // without arguments, blkid only reads
		}
		return fails(1, "%s: bad usage\n", name)
	}
	m.mu.Lock()
	defer m.unlock()
	if name == "mkswap" || strings.HasPrefix(name, "mkfs") {
		return m.mkfs(name, args)
	}
	simulate, ok := map[string]func([]string) Output{
		"parted": m.parted, "sgdisk": m.sgdisk, "mdadm": m.mdadm, "lsblk": m.lsblk, "blkid": m.blkid, "blockdev": m.blockdev,
		"efibootmgr": m.efibootmgr, "wipefs": m.wipefs,
	}[name]
	if !ok {
		return fails(NotFound, "%s: command not found\n", name)
	}
	return simulate(args)
}

func (m *Machine) wipefs(args []string) Output {
	device := args[len(args)-1]
	if d, err := m.disk(device); err == nil {
		m.clear(d)
		m.emit(DiskWiped, "%s", device)
		return Output{}
	}
	_, p := m.partition(device)
	if p == nil {
		return fails(1, "wipefs: error: %s: probing initialization failed: No such file or directory\n", device)
	}
	p.Filesystem, p.Array = Filesystem{}, ""
	m.dropArrays()
	return Output{}
}

// mkfs creates an empty file system. Its label is the argument that follows -L or -n.
func (m *Machine) mkfs(name string, args []string) Output {
	device := args[len(args)-1]
	_, p := m.partition(device)
	if p == nil {
		return fails(1, "%s: cannot open %s: No such file or directory\n", name, device)
	}
	fs := Filesystem{Type: strings.TrimPrefix(strings.TrimPrefix(name, "mkfs"), "."), FSID: uuid.NewString()}
	if name == "mkswap" {
		fs.Type = "swap"
	}
	if kind := after(args, "-t"); kind != "" {
		fs.Type = kind
	}
	fs.Label = after(args, "-L") + after(args, "-n")
	if id := after(args, "-i") + after(args, "-U"); id != "" {
		fs.FSID = id
	}
	if fs.Type == "vfat" && len(fs.FSID) > 9 {
		fs.FSID = strings.ToUpper(fs.FSID[:4] + "-" + fs.FSID[4:8])
	}
	p.Filesystem = fs
	return Output{}
}

func (m *Machine) blockdev(args []string) Output {
	device := args[len(args)-1]
	var size int64
	if d, err := m.disk(device); err == nil {
		size = d.SizeBytes
	} else if _, p := m.partition(device); p != nil {
		size = p.Size
	} else {
		return fails(1, "blockdev: cannot open %s: No such file or directory\n", device)
	}
	var b strings.Builder
	for _, option := range args[:len(args)-1] {
		switch option {
		case "--getss":
			b.WriteString("512\n")
		case "--getpbsz":
			b.WriteString("4096\n")
		case "--getsize64":
			fmt.Fprintf(&b, "%d\n", size)
		case "--getsz":
			fmt.Fprintf(&b, "%d\n", size/512)
		}
	}
	return Output{Stdout: b.String()}
}

// after returns the argument that follows the given option, or "" if the option is missing.
func after(args []string, option string) string {
	if i := slices.Index(args, option); i >= 0 && i+1 < len(args) {
		return args[i+1]
	}
	return ""
}
