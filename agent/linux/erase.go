package linux

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"ironworks/agent"
)

// Erase erases a disk or its metadata. Unless erase.Unguarded is set, a shared disk causes an *agent.ProtectedError.
func (m *Machine) Erase(ctx context.Context, erase agent.Erase) error {
	if !erase.Unguarded {
		if err := m.host.guard(ctx, erase.Device); err != nil {
			return err
		}
	}
	if erase.Depth == agent.EraseMetadata {
		return m.host.eraseMetadata(ctx, erase.Device)
	}
	return m.host.eraseAll(ctx, erase)
}

// sharedContent names the partition types and file systems that several machines may use at the same time. Its keys
// are the values that lsblk prints, in lower case. See safety_check_block_device in ironic_python_agent/hardware.py.
// By mistake, that function compares case-sensitively and ignores file systems.
var sharedContent = map[string]string{
	"37affc90-ef7d-4e96-91c3-2d7ae055b174": "IBM GPFS Partition",
	"aa31e02a-400f-11db-9590-000c2911d1b8": "VMware VMFS Partition (GPT)",
	"0xfb":                                 "VMware VMFS Partition (MBR)",
	"gfs2":                                 "Red Hat Global File System 2",
}

// guard returns an error if a disk contains something that several machines may use.
func (h Host) guard(ctx context.Context, device string) error {
	out, err := h.program(ctx, "lsblk", "-nro", "PARTTYPE,FSTYPE", device)
	if err != nil {
		return err
	}
	for _, word := range strings.Fields(strings.ToLower(out)) {
		if what, shared := sharedContent[word]; shared {
			return &agent.ProtectedError{Device: device, What: what}
		}
	}
	return nil
}

// eraseMetadata implements destroy_disk_metadata from ironic_python_agent/disk_utils.py. It erases signatures and both
// partition tables. It overwrites the tables first, because sgdisk rejects damaged ones.
func (h Host) eraseMetadata(ctx context.Context, device string) error {
	if _, err := h.program(ctx, "wipefs", "--force", "--all", device); err != nil {
		return err
	}
	if err := h.zeroTables(ctx, device); err != nil {
		return fmt.Errorf("overwriting the partition tables of %s: %w", device, err)
	}
	if _, err := h.program(ctx, "sgdisk", "-Z", device); err != nil {
		return err
	}
	h.try(ctx, "udevadm", "settle")
	return nil
}

// zeroTables overwrites the sectors of the primary and the secondary GPT with zeros.
func (h Host) zeroTables(ctx context.Context, device string) error {
	sector, err := h.sectorSize(ctx, device)
	if err != nil {
		return err
	}
	const (
		large                    = 4096
		sectorsOfGPT, largeOfGPT = 33, 5
	)
	size := sector * sectorsOfGPT
	if sector == large {
		size = sector * largeOfGPT
	}
	disk, err := os.OpenFile(h.path(device), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	end, err := disk.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = disk.WriteAt(make([]byte, min(size, end)), 0)
	}
	if err == nil && end > size {
		_, err = disk.WriteAt(make([]byte, size), end-size)
	}
	if err == nil {
		err = disk.Sync()
	}
	return errors.Join(err, disk.Close())
}

// sectorSize returns the size of a logical sector of a disk, in bytes.
func (h Host) sectorSize(ctx context.Context, device string) (int64, error) {
	out, err := h.program(ctx, "blockdev", "--getss", device)
	if err != nil {
		return 0, err
	}
	var size int64
	if _, err := fmt.Sscan(out, &size); err != nil || size <= 0 {
		return 0, fmt.Errorf("size of a sector: %q", strings.TrimSpace(out))
	}
	return size, nil
}

// eraseAll implements erase_block_device from ironic_python_agent/hardware.py. It lets NVMe and ATA disks erase
// themselves securely, and overwrites other disks with passes of random data and zeros. If a secure erase fails,
// eraseAll returns the error, unless Ironic allows overwriting the disk instead.
func (h Host) eraseAll(ctx context.Context, erase agent.Erase) error {
	own, forbidden := h.eraseATA, erase.NoATA
	if strings.HasPrefix(erase.Device, "/dev/nvme") {
		own, forbidden = h.eraseNVMe, erase.NoNVMe
	}
	if !forbidden {
		done, err := own(ctx, erase.Device)
		switch {
		case err != nil && !erase.Shred:
			return fmt.Errorf("Failed to invoke secure erase, fallback to shred is not enabled: %w", err) //nolint:staticcheck // the real agent's message
		case err != nil:
			h.warn("Failed to invoke secure erase, falling back to shred: %v", err)
		case done:
			return nil
		}
	}
	argv := []string{"shred", "--force"}
	if !erase.Random {
		argv = append(argv, "--zero")
	}
	_, err := h.program(ctx, append(argv, "--verbose", "--iterations", strconv.Itoa(max(1, erase.Passes)), erase.Device)...)
	return err
}

// The following patterns match lines in the output of `nvme id-ctrl` and `nvme id-ns`.
var (
	formatSupport = regexp.MustCompile(`(?m)^oacs\s*:\s*(?:0x)?([0-9a-fA-F]+)`)
	cryptoSupport = regexp.MustCompile(`(?m)^fna\s*:\s*(?:0x)?([0-9a-fA-F]+)`)
	formatInUse   = regexp.MustCompile(`(?m)^lbaf\s+(\d+)\s*:.*\(in use\)`)
)

// eraseNVMe formats an NVMe namespace, cryptographically if possible. If formatting is unsupported, done is false.
func (h Host) eraseNVMe(ctx context.Context, device string) (done bool, err error) {
	const format, cryptographic = 1 << 1, 1 << 2
	control, err := h.program(ctx, "nvme", "id-ctrl", device)
	if err != nil {
		h.warn("%v", err)
		return false, nil
	}
	if hexadecimal(formatSupport, control)&format == 0 {
		return false, nil
	}
	mode := "1" // erase user data
	if hexadecimal(cryptoSupport, control)&cryptographic != 0 {
		mode = "2"
	}
	argv := []string{"nvme", "format", device}
	if space, err := h.program(ctx, "nvme", "id-ns", device); err == nil {
		if found := formatInUse.FindStringSubmatch(space); found != nil {
			argv = append(argv, "-l", found[1])
		}
	}
	_, err = h.program(ctx, append(argv, "-s", mode, "-f")...)
	return err == nil, err
}

func hexadecimal(pattern *regexp.Regexp, text string) int {
	found := pattern.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	n, _ := strconv.ParseInt(found[1], 16, 0) // the pattern matches only hexadecimal digits
	return int(n)
}

// eraseATA runs the security erase of an ATA disk. If the disk or the host does not support it, done is false.
func (h Host) eraseATA(ctx context.Context, device string) (done bool, err error) {
	const password = "NULL"
	info, err := h.program(ctx, "hdparm", "-I", device)
	if err != nil {
		h.warn("%v", err)
		return false, nil
	}
	_, after, found := strings.Cut(info, "\nSecurity:")
	if !found {
		return false, nil
	}
	security := map[string]bool{}
	for line := range strings.Lines(after) {
		security[strings.Join(strings.Fields(line), " ")] = true
	}
	switch {
	case !security["supported"]:
		return false, nil
	case security["enabled"]:
		return false, fmt.Errorf("Block device %s already has a security password set", device) //nolint:staticcheck // the real agent's message
	case security["frozen"]:
		return false, fmt.Errorf("Block device %s is frozen and cannot be erased", device) //nolint:staticcheck // the real agent's message
	}
	if _, err := h.program(ctx, "hdparm", "--user-master", "u", "--security-set-pass", password, device); err != nil {
		return false, err
	}
	mode := "--security-erase"
	if security["supported: enhanced erase"] {
		mode = "--security-erase-enhanced"
	}
	if _, err := h.program(ctx, "hdparm", "--user-master", "u", mode, password, device); err != nil {
		// Unlock the disk, which would otherwise be unusable. The error of the erasure is more helpful than another.
		h.try(ctx, "hdparm", "--user-master", "u", "--security-disable", password, device)
		return false, err
	}
	return true, nil
}
