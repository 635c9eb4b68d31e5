package machine

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Types of partition tables, as named by parted.
const (
	gpt   = "gpt"
	msdos = "msdos"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// Partition is a partition of a disk or of an array.
type Partition struct {
	Number int
	// Start and Size are in bytes.
	Start, Size int64
	// Name is the name of the partition in a GPT. UUID is its PARTUUID.
	Name, UUID string
	// Flags contains the partition's flags with parted's names: boot, esp, lvm, raid.
	Flags []string
	Filesystem
	// Array is the UUID of the array to which the partition belongs. It is empty if the partition belongs to none.
	Array string
}

// Filesystem describes the content of a partition.
type Filesystem struct {
	// Type is blkid's name for the type, such as ext4, vfat, swap or iso9660, or empty if there is none.
	Type        string
	Label, FSID string
	// Files contains the files and folders in the file system, in any order.
	Files []File
}

// File is a file or a folder in a file system.
type File struct {
	// Path is relative to the root of the file system.
	Path    string
	Folder  bool
	Content []byte
	// Mode holds the permissions. It is 0 if they are not set.
	Mode, Owner, Group int
}

// raidMember is the file system type of a partition that belongs to an array.
const raidMember = "linux_raid_member"

// ErrNoFilesystem is returned if a device cannot be mounted.
var ErrNoFilesystem = errors.New("no file system")

func folders(names ...string) []File {
	files := make([]File, len(names))
	for i, name := range names {
		files[i] = File{Path: name, Folder: true, Mode: 0o755}
	}
	return files
}

// coreOSPartitions returns the partitions of a CoreOS image before its first boot, with the names and file system UUIDs
// of real images.
func coreOSPartitions(size int64) []Partition {
	const boot = 513 * mib
	parts := []Partition{
		{Start: mib, Size: mib, Name: "BIOS-BOOT", Flags: []string{"bios_grub"}},
		{Start: 2 * mib, Size: 127 * mib, Name: "EFI-SYSTEM", Flags: []string{"boot", "esp"}, Filesystem: Filesystem{
			Type: "vfat", Label: "EFI-SYSTEM", FSID: "7B77-95E7", Files: folders("EFI", "EFI/BOOT", "EFI/fedora"),
		}},
		{Start: 129 * mib, Size: 384 * mib, Name: "boot", Filesystem: Filesystem{
			Type: "ext4", Label: "boot", FSID: "96d15588-3596-4b3c-adca-a2ff7279ea63", Files: folders("efi", "grub2", "ignition", "loader", "ostree"),
		}},
		{Start: boot, Size: max(size-boot-mib, mib), Name: "root", Filesystem: Filesystem{
			Type: "xfs", Label: "root", FSID: "910678ff-f77e-4a7d-8d53-86f2ac47a823", Files: folders("boot", "ostree"),
		}},
	}
	return numbered(parts)
}

// rootFolders lists the folders in the root directory of a Linux system.
var rootFolders = []string{"boot", "dev", "etc", "home", "opt", "proc", "root", "run", "srv", "sys", "tmp", "usr", "var"}

// CloudPartitions returns the partitions that a cloud image is assumed to contain. The lab does not read such images.
func CloudPartitions(size int64) []Partition {
	const root = 101 * mib
	return numbered([]Partition{
		{Start: mib, Size: 100 * mib, Name: "ESP", Flags: []string{"boot", "esp"}, Filesystem: Filesystem{
			Type: "vfat", Label: "EFI", FSID: "2C6D-11F0", Files: folders("EFI", "EFI/BOOT"),
		}},
		{Start: root, Size: max(size-root-mib, mib), Name: "rootfs", Filesystem: Filesystem{
			Type: "ext4", Label: "rootfs", FSID: uuid.NewString(), Files: folders(rootFolders...),
		}},
	})
}

// numbered assigns numbers and UUIDs to partitions.
func numbered(parts []Partition) []Partition {
	for i := range parts {
		parts[i].Number, parts[i].UUID = i+1, uuid.NewString()
	}
	return parts
}

func copyPartitions(parts []Partition) []Partition {
	copies := slices.Clone(parts)
	for i := range copies {
		copies[i].Flags = slices.Clone(copies[i].Flags)
		copies[i].Files = slices.Clone(copies[i].Files) // the contents of files are never changed in place
	}
	return copies
}

// partitionName returns the device name of a partition, such as /dev/sda1 or /dev/nvme0n1p1.
func partitionName(disk string, number int) string {
	if last := disk[len(disk)-1]; last >= '0' && last <= '9' {
		return fmt.Sprintf("%sp%d", disk, number)
	}
	return fmt.Sprintf("%s%d", disk, number)
}

// tables returns the disks and the active arrays, which may have partition tables. Called with mu held.
func (m *Machine) tables() []*Disk {
	var all []*Disk
	for i := range m.spec.Disks {
		all = append(all, &m.spec.Disks[i])
	}
	for _, a := range m.arrays {
		if a.running {
			all = append(all, &a.Disk)
		}
	}
	return all
}

// partition returns the partition with a device name or a link in /dev/disk, and its disk. Called with mu held.
func (m *Machine) partition(device string) (*Disk, *Partition) {
	by, value := path.Split(strings.TrimPrefix(device, "/dev/disk/"))
	for _, d := range m.tables() {
		for i := range d.Partitions {
			p := &d.Partitions[i]
			var linked string
			switch by {
			case "by-label/":
				linked = p.Label
			case "by-uuid/":
				linked = p.FSID
			case "by-partlabel/":
				linked = p.Name
			case "by-partuuid/":
				linked = p.UUID
			}
			if partitionName(d.Name, p.Number) == device || linked != "" && linked == value {
				return d, p
			}
		}
	}
	return nil, nil
}

// Files returns the files in the file system on the given partition.
func (m *Machine) Files(device string) ([]File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, p := m.partition(device)
	switch {
	case p == nil:
		return nil, fmt.Errorf("%w: %s of machine %s", ErrNoDisk, device, m.spec.Name)
	case p.Type == "" || p.Type == raidMember || p.Type == "swap":
		return nil, fmt.Errorf("%w on %s: %q", ErrNoFilesystem, device, p.Type)
	}
	return slices.Clone(p.Files), nil
}

// SetFiles replaces all files in the file system on the given partition.
func (m *Machine) SetFiles(device string, files []File) error {
	m.mu.Lock()
	defer m.unlock()
	_, p := m.partition(device)
	if p == nil {
		return fmt.Errorf("writing files: %w: %s of machine %s", ErrNoDisk, device, m.spec.Name)
	}
	p.Files = slices.Clone(files)
	m.emit(DiskInstalled, "%s: %d files", device, len(files))
	return nil
}
