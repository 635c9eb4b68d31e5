package vm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ironworks/models"
)

// DiskKind is a kind of virtual disk, as spelled in the --disks flag.
type DiskKind string

// Kinds of disks that the --disks flag accepts.
const (
	NVMe DiskKind = "nvme" // an NVMe namespace
	SSD  DiskKind = "ssd"  // a SCSI disk that reports no rotation
	HDD  DiskKind = "hdd"  // a SCSI disk that reports 7200 rpm
)

const (
	mib = 1 << 20
	gib = 1 << 30
	tib = 1 << 40

	minDisk   = 1 * gib
	maxDisk   = 16 * tib
	maxDisks  = 8
	minMemory = 512 * mib
	maxMemory = 4 * tib
)

// DiskRequest is one item of the --disks flag: the kind and the size of a disk.
type DiskRequest struct {
	Kind DiskKind
	// Size is the size in bytes.
	Size int64
}

// ParseDisks parses a list of one to eight items of the form KIND:SIZE, such as nvme:20G,ssd:40G,hdd:100G.
func ParseDisks(text string) ([]DiskRequest, error) {
	var disks []DiskRequest
	for item := range strings.SplitSeq(text, ",") {
		disk, err := parseDisk(strings.TrimSpace(item))
		if err != nil {
			return nil, err
		}
		disks = append(disks, disk)
	}
	if len(disks) > maxDisks {
		return nil, fmt.Errorf("%d disks: a machine has at most %d", len(disks), maxDisks)
	}
	return disks, nil
}

func parseDisk(item string) (DiskRequest, error) {
	kind, size, found := strings.Cut(item, ":")
	if item == "" || !found {
		return DiskRequest{}, fmt.Errorf("disk %q: want KIND:SIZE, such as nvme:20G", item)
	}
	disk := DiskRequest{Kind: DiskKind(strings.ToLower(kind))}
	switch disk.Kind {
	case NVMe, SSD, HDD:
	default:
		return DiskRequest{}, fmt.Errorf("disk %q: unknown kind %q (want nvme, ssd or hdd)", item, kind)
	}
	var err error
	if disk.Size, err = parseSize(size); err != nil {
		return DiskRequest{}, fmt.Errorf("disk %q: %w", item, err)
	}
	if disk.Size < minDisk || disk.Size > maxDisk {
		return DiskRequest{}, fmt.Errorf("disk %q: size out of range (want 1G to 16T)", item)
	}
	return disk, nil
}

// ParseMemory parses the size of a machine's memory, such as 4G, and returns it in MiB.
func ParseMemory(text string) (int, error) {
	size, err := parseSize(text)
	if err != nil {
		return 0, err
	}
	if size < minMemory || size > maxMemory {
		return 0, fmt.Errorf("%s: size out of range (want 512M to 4T)", text)
	}
	return int(size / mib), nil
}

var errSize = errors.New("want a whole number with M, G or T, such as 20G")

// parseSize parses a size with a binary unit, such as 512M, 20G or 2T, and returns it in bytes. The units may also be
// written as MiB, GiB and TiB. [models.ParseBytes] accepts more: fractions, decimal units and bytes without a unit.
func parseSize(text string) (int64, error) {
	digits := strings.TrimRightFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	unit := strings.TrimSuffix(strings.ToUpper(text[len(digits):]), "IB")
	if _, err := strconv.ParseUint(digits, 10, 64); err != nil || !slices.Contains([]string{"M", "G", "T"}, unit) {
		return 0, fmt.Errorf("size %q: %w", text, errSize)
	}
	size, err := models.ParseBytes(text)
	if err != nil {
		return 0, fmt.Errorf("size %q: too large", text)
	}
	return size, nil
}
