package linux

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"ironworks/agent"
)

// Erase erases a disk.
func (m *Machine) Erase(ctx context.Context, device string, depth agent.Erasure) error {
	if depth == agent.EraseMetadata {
		return m.host.eraseMetadata(ctx, device)
	}
	return m.host.eraseAll(ctx, device)
}

// eraseMetadata is destroy_disk_metadata of ironic_python_agent/disk_utils.py: signatures, then
// both partition tables, because sgdisk refuses damaged ones.
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

// zeroTables overwrites the sectors of the primary and of the secondary GPT.
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

// sectorSize returns the logical size of a sector in bytes.
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

// eraseAll is erase_block_device of ironic_python_agent/hardware.py with the defaults of Ironic:
// a secure erase of NVMe and ATA disks, and where there is none, one pass of zeros. A secure erase
// that fails is final.
func (h Host) eraseAll(ctx context.Context, device string) error {
	erase := h.eraseATA
	if strings.HasPrefix(device, "/dev/nvme") {
		erase = h.eraseNVMe
	}
	done, err := erase(ctx, device)
	switch {
	case err != nil:
		return fmt.Errorf("secure erase of %s failed: %w", device, err)
	case done:
		return nil
	}
	_, err = h.program(ctx, "shred", "--force", "--zero", "--verbose", "--iterations", "1", device)
	return err
}

// Lines of `nvme id-ctrl` and `nvme id-ns`.
var (
	formatSupport = regexp.MustCompile(`(?m)^oacs\s*:\s*(?:0x)?([0-9a-fA-F]+)`)
	cryptoSupport = regexp.MustCompile(`(?m)^fna\s*:\s*(?:0x)?([0-9a-fA-F]+)`)
	formatInUse   = regexp.MustCompile(`(?m)^lbaf\s+(\d+)\s*:.*\(in use\)`)
)

// eraseNVMe formats an NVMe namespace, cryptographically where possible. done is false for a
// disk, or a host, without that.
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
	var n int
	// The pattern matches only digits.
	_, _ = fmt.Sscanf(found[1], "%x", &n)
	return n
}

// eraseATA runs the security erase of an ATA disk. done is false for a disk, or a host, without
// that.
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
	for _, line := range lines(after) {
		security[strings.Join(strings.Fields(line), " ")] = true
	}
	switch {
	case !security["supported"]:
		return false, nil
	case security["enabled"]:
		return false, errors.New("security is enabled with an unknown password")
	case security["frozen"]:
		return false, errors.New("security is frozen by the firmware")
	}
	if _, err := h.program(ctx, "hdparm", "--user-master", "u", "--security-set-pass", password, device); err != nil {
		return false, err
	}
	mode := "--security-erase"
	if security["supported: enhanced erase"] {
		mode = "--security-erase-enhanced"
	}
	if _, err := h.program(ctx, "hdparm", "--user-master", "u", mode, password, device); err != nil {
		// A disk that stays locked is lost; the error of the erasure says more than that of this.
		h.try(ctx, "hdparm", "--user-master", "u", "--security-disable", password, device)
		return false, err
	}
	return true, nil
}
