package linux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// maxConfigdriveMiB is the maximum size of a configdrive in the agent's partition_utils.py, and of its partition.
const maxConfigdriveMiB = 64

// writeConfigdrive copies content to the config-2 partition of a disk. It creates that partition if the image
// contains none. See create_config_drive_partition in ironic_python_agent/partition_utils.py.
func (h Host) writeConfigdrive(ctx context.Context, device string, content []byte) error {
	partition, err := h.configPartition(ctx, device)
	if err == nil {
		err = h.copyRaw(ctx, partition, bytes.NewReader(content))
	}
	if err != nil {
		return fmt.Errorf("Failed to create config drive on disk %s. Error: %w", device, err) //nolint:staticcheck // the real agent's message
	}
	return nil
}

// configPartition returns the device of the partition labeled config-2, or of a new one at the end of the disk.
func (h Host) configPartition(ctx context.Context, device string) (string, error) {
	if name, err := h.partitionWith(ctx, device, "LABEL", "config-2"); err != nil || name != "" {
		return name, err
	}
	kind, err := h.program(ctx, "blkid", "-p", "-s", "PTTYPE", "-o", "value", device)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(kind) != "gpt" {
		return h.configPartitionMBR(ctx, device)
	}
	// The backup GPT is still where the image ends, so move it to the end of the disk.
	if _, err := h.program(ctx, "sgdisk", "-e", device); err != nil {
		return "", err
	}
	identifier := uuid.NewString()
	if _, err := h.program(ctx, "sgdisk", "-n", fmt.Sprintf("0:-%dMB:0", maxConfigdriveMiB), "-u", "0:"+identifier, device); err != nil {
		return "", err
	}
	h.rescan(ctx, device)
	name, err := h.partitionWith(ctx, device, "PARTUUID", identifier)
	if err == nil && name == "" {
		err = fmt.Errorf("partition with UUID %s has not been found after creation", identifier)
	}
	return name, err
}

// configPartitionMBR adds a primary partition to a disk with an MBR and returns its device. It fails if the disk
// already has four partitions, which is the limit of an MBR.
func (h Host) configPartitionMBR(ctx context.Context, device string) (string, error) {
	before, err := h.partitions(ctx, device)
	if err != nil {
		return "", err
	}
	const most = 4
	if len(before) >= most {
		return "", fmt.Errorf("the disk uses MBR partitioning and already has %d partitions", len(before))
	}
	if _, err := h.program(ctx, "parted", "-a", "optimal", "-s", "--", device, "mkpart", "primary", "fat32", fmt.Sprintf("-%dMiB", maxConfigdriveMiB), "-0"); err != nil {
		return "", err
	}
	h.rescan(ctx, device)
	after, err := h.partitions(ctx, device)
	if err != nil {
		return "", err
	}
	fresh := slices.DeleteFunc(after, func(name string) bool { return slices.Contains(before, name) })
	if len(fresh) != 1 {
		return "", errors.New("the new partition was not found")
	}
	return fresh[0], nil
}

func (h Host) partitions(ctx context.Context, device string) ([]string, error) {
	rows, err := h.lsblk(ctx, device, "KNAME", "TYPE")
	var names []string
	for _, row := range rows {
		if row[1] == "part" || row[1] == "md" {
			names = append(names, "/dev/"+row[0])
		}
	}
	return names, err
}

// lsblk returns the given columns for a disk and its partitions. It omits devices that lack one of the columns.
func (h Host) lsblk(ctx context.Context, device string, columns ...string) ([][]string, error) {
	out, err := h.program(ctx, "lsblk", "-nro", strings.Join(columns, ","), device)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for line := range strings.SplitSeq(out, "\n") {
		if fields := strings.Fields(line); len(fields) >= len(columns) {
			rows = append(rows, fields)
		}
	}
	return rows, nil
}

// partitionWith returns the device of the partition that has the given value in the named column of lsblk's output.
// Case is ignored. The result is "" if the disk has no such partition.
func (h Host) partitionWith(ctx context.Context, device, column, value string) (string, error) {
	rows, err := h.lsblk(ctx, device, "KNAME", column)
	for _, row := range rows {
		if strings.EqualFold(row[1], value) {
			name := "/dev/" + row[0]
			if _, err := os.Stat(h.path(name)); err != nil {
				return "", err
			}
			return name, nil
		}
	}
	return "", err
}
