package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// partedLine matches a line about a partition in the machine-readable output of parted.
var partedLine = regexp.MustCompile(`^(\d+):([\d.]+)MiB:([\d.]+)MiB:([\d.]+)MiB:(\w*):(.*):(.*);`)

// listPartitions returns the partitions that parted lists for a device, or an error without a partition table.
func (a *agent) listPartitions(ctx context.Context, device string) (list, error) {
	out, err := a.program(ctx, "parted", "-s", "-m", device, "unit", "MiB", "print")
	if err != nil {
		return nil, err
	}
	partitions := list{}
	lines := slices.DeleteFunc(strings.Split(out.Stdout, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	for _, line := range lines[min(2, len(lines)):] {
		found := partedLine.FindStringSubmatch(line)
		if found == nil {
			a.log.disks.warning("Partition information from parted for device %s does not match expected format: %s", device, line)
			continue
		}
		p := newDict()
		for i, field := range []string{"number", "start", "end", "size"} {
			value, err := strconv.ParseFloat(found[i+1], 64)
			if err != nil {
				return nil, fmt.Errorf("reading the partitions of %s: %w", device, err)
			}
			p.Set(field, toPythonInt(int64(value)))
		}
		for i, field := range []string{"filesystem", "partition_name", "flags"} {
			p.Set(field, found[i+5])
		}
		index, _ := strconv.Atoi(found[1]) // cannot fail, because the text consists of digits
		p.Set("path", partitionPath(device, index))
		partitions = append(partitions, p)
	}
	return partitions, nil
}

// partitionPath guesses the device name of the partition with the given number.
func partitionPath(device string, index int) string {
	if last := device[len(device)-1]; last >= '0' && last <= '9' {
		return fmt.Sprintf("%sp%d", device, index)
	}
	return fmt.Sprintf("%s%d", device, index)
}

// lsblk returns the names of all devices of the given kinds: part, md, or raid for all RAID levels.
func (a *agent) lsblk(ctx context.Context, kinds ...string) ([]string, error) {
	out, err := a.program(ctx, "lsblk", "-bia", "--json", "-oKNAME,TYPE,SIZE")
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case failedProgram(err):
		return nil, asUncaught(err)
	case err != nil:
		return nil, nil //nolint:nilerr // a host without lsblk has only disks
	}
	var report struct {
		Devices []struct {
			Name string `json:"kname"`
			Kind string `json:"type"`
		} `json:"blockdevices"`
	}
	if err := json.Unmarshal([]byte(out.Stdout), &report); err != nil {
		return nil, fmt.Errorf("reading the block devices: %w", err)
	}
	var names []string
	for _, d := range report.Devices {
		kind := d.Kind
		if strings.HasPrefix(kind, "raid") {
			kind = "raid"
		}
		if slices.Contains(kinds, kind) {
			names = append(names, "/dev/"+d.Name)
		}
	}
	return names, nil
}

// withPartitions returns the names of all disks and RAID arrays, followed by the names of all partitions.
func (a *agent) withPartitions(ctx context.Context) ([]string, error) {
	disks, err := a.hardware.BlockDevices(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range disks {
		names = append(names, d.Name)
	}
	partitions, err := a.lsblk(ctx, "part")
	return append(names, partitions...), err
}

// raidMember reports whether a device, or anything on it, belongs to a RAID array. It returns true if lsblk fails.
func (a *agent) raidMember(ctx context.Context, device string) bool {
	out, err := a.program(ctx, "lsblk", "--fs", "--noheadings", device)
	if err != nil {
		a.log.hardware.warning("Could not determine if %s is a RAID member: %v", device, err)
		return true
	}
	return strings.Contains(out.Stdout, "linux_raid_member")
}

var (
	deviceName  = regexp.MustCompile(`/dev/\w+`)
	ofPartition = regexp.MustCompile(`^(?:(.*\d)p|(.*\D))(\d+)$`)
	arrayUUID   = regexp.MustCompile(`UUID : ([a-f0-9:]+)`)
)

func splitPartition(name string) (disk, part string) {
	found := ofPartition.FindStringSubmatch(name)
	if found == nil {
		return "", ""
	}
	return found[1] + found[2], found[3]
}

func (a *agent) holderDisks(ctx context.Context, array string) []string {
	out, err := a.program(ctx, "mdadm", "--detail", array)
	if err != nil {
		a.log.hardware.warning("Could not get holder disks of %s: %v", array, err)
		return nil
	}
	var disks []string
	for line := range strings.SplitSeq(out.Stdout, "\n") {
		if strings.HasPrefix(line, array) || strings.Contains(line, "Events") || strings.Contains(line, "Name") {
			continue
		}
		for _, member := range deviceName.FindAllString(line, -1) {
			if disk, _ := splitPartition(member); disk != "" {
				disks = append(disks, disk)
			} else {
				disks = append(disks, member)
			}
		}
	}
	return disks
}

// componentDevices returns the members of an array: the devices whose superblock contains the array's UUID.
func (a *agent) componentDevices(ctx context.Context, array string) ([]string, error) {
	out, err := a.program(ctx, "mdadm", "--detail", array)
	if err != nil {
		a.log.hardware.warning("Could not get the details of %s: %v", array, err)
		return nil, nil
	}
	found := arrayUUID.FindStringSubmatch(out.Stdout)
	if found == nil {
		return nil, nil
	}
	all, err := a.withPartitions(ctx)
	if err != nil {
		return nil, err
	}
	var members []string
	for _, name := range all {
		if out, err := a.program(ctx, "mdadm", "--examine", name); err == nil && strings.Contains(out.Stdout, found[1]) {
			members = append(members, name)
		}
	}
	return members, nil
}

func (a *agent) volumeName(ctx context.Context, array string) string {
	out, err := a.program(ctx, "mdadm", "--detail", array)
	if err != nil {
		a.log.raid.warning("Could not retrieve the volume name of %s: %v", array, err)
		return ""
	}
	for line := range strings.SplitSeq(out.Stdout, "\n") {
		if !strings.Contains(line, "Name") {
			continue
		}
		fields := strings.Split(line, ":")
		name, _, _ := strings.Cut(strings.TrimSpace(fields[len(fields)-1]), " ")
		return name
	}
	return ""
}
