package raid

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"ironworks/models/hints"
)

const (
	kib = 1 << 10
	gib = 1 << 30
)

// Drive describes a drive behind a RAID controller. The data comes from the BMC.
type Drive struct {
	// ID is the drive's Redfish Id, which configurations use to refer to the drive. Controller is the Id of the
	// Storage resource to which the drive belongs.
	ID, Controller string
	// Protocol (SAS, SATA, NVMe) and MediaType (HDD, SSD) are values from Redfish. They are empty if unknown.
	Protocol, MediaType string
	CapacityBytes       int64
	// InUse means that the drive already belongs to a volume. Ironic does not check this, but the BMC then refuses to
	// create another volume on the drive.
	InUse bool
}

// Volume is a logical disk with the drives that were chosen for it.
type Volume struct {
	LogicalDisk
	// Drives lists the IDs of the drives in the order in which Ironic sends them.
	Drives []string
	// Bytes is the volume size that Ironic computes. If Max is set, the controller chooses the actual size.
	Bytes int64
	// SpanDepth is the number of spans. SpanLength is the number of drives in each span, or 0 for RAID 1+0.
	SpanDepth, SpanLength int
	// Busy lists the chosen drives that already belong to another volume.
	Busy []string
}

// Assign predicts the drives and sizes that Ironic chooses for the logical disks (convert_drive_units and
// _find_configuration in ironic/drivers/modules/redfish/raid.py). The result is in the order in which Ironic
// processes the disks, which differs from their order in the configuration. A logical disk that Ironic forgets is
// missing from the result; see [search.assign]. node is the node's UUID, which appears in one of the errors.
func Assign(disks []LogicalDisk, drives []Drive, node string) ([]Volume, error) {
	for i := range disks {
		if d := &disks[i]; d.Max && !d.HasDrives() {
			return nil, &Error{Class: InvalidParameterValue, Reason: fmt.Sprintf("create_configuration called with invalid target_raid_configuration for node %s. "+
				"'physical_disks' is missing from logical_disk while 'size_gb'='MAX' was requested: %s", node, hints.PythonRepr(d.quoted()))}
		}
	}
	s := newSearch(disks, drives)
	volumes, err := s.run(disks)
	if err != nil {
		return nil, err
	}
	for i := range volumes {
		for _, d := range drives {
			if d.InUse && slices.Contains(volumes[i].Drives, d.ID) {
				volumes[i].Busy = append(volumes[i].Busy, d.ID)
			}
		}
	}
	return volumes, nil
}

// ToCreate returns the volumes that the create_configuration step creates. These are the root volume if root is set,
// and the other volumes if others is set. Like the step, ToCreate sorts them by controller.
func ToCreate(volumes []Volume, root, others bool) []Volume {
	volumes = slices.DeleteFunc(slices.Clone(volumes), func(v Volume) bool { return v.IsRoot && !root || !v.IsRoot && !others })
	slices.SortStableFunc(volumes, func(a, b Volume) int { return cmp.Compare(a.Controller, b.Controller) })
	return volumes
}

// quoted returns the logical disk as it was given or, if it was not decoded, in the form that Ironic produces.
func (d *LogicalDisk) quoted() *hints.PythonDict {
	if d.given != nil {
		return d.given
	}
	q := &hints.PythonDict{}
	q.Set(KeyLevel, d.RAIDLevel)
	q.Set(KeySize, hints.PythonInt(fmt.Sprint(d.SizeGB)))
	if d.Max {
		q.Set(KeySize, allMax)
	}
	for key, text := range map[string]string{KeyName: d.VolumeName, KeyDiskType: d.DiskType, KeyInterface: d.InterfaceType, KeyController: d.Controller} {
		if text != "" {
			q.Set(key, text)
		}
	}
	return q
}

// group is a set of drives with the same media type, protocol and capacity. All drives of a volume belong to one
// group.
type group struct {
	media, protocol string
	capacity        int64
	drives          []int
	reserved        []int // drives named by volumes that share drives and take all their space
}

// search looks for drives for the logical disks. It refers to drives by their indexes.
type search struct {
	drives []Drive
	groups []*group
	free   []int64 // the number of free bytes on each drive
}

// newSearch sorts the drives into groups. Drives that the configuration reserves for a volume which does not share
// them are left out.
func newSearch(disks []LogicalDisk, drives []Drive) *search {
	s := &search{drives: drives}
	for i, d := range drives {
		s.free = append(s.free, d.CapacityBytes)
		at := slices.IndexFunc(s.groups, func(g *group) bool {
			return g.media == d.MediaType && g.protocol == d.Protocol && g.capacity == d.CapacityBytes
		})
		if at < 0 {
			at = len(s.groups)
			s.groups = append(s.groups, &group{media: d.MediaType, protocol: d.Protocol, capacity: d.CapacityBytes})
		}
		named := func(shared bool) bool {
			return slices.ContainsFunc(disks, func(l LogicalDisk) bool {
				return l.Share == shared && (!shared || l.Max) && slices.Contains(l.Drives, d.ID)
			})
		}
		switch g := s.groups[at]; {
		case named(true):
			g.reserved = append(g.reserved, i)
		case !named(false):
			g.drives = append(g.drives, i)
		}
	}
	return s
}

// run performs the three passes of Ironic's _find_configuration.
func (s *search) run(disks []LogicalDisk) ([]Volume, error) {
	volumes, err := s.named(disks, false)
	if err != nil {
		return nil, err
	}
	var open []LogicalDisk
	for i := range disks {
		if !disks[i].HasDrives() {
			open = append(open, disks[i])
		}
	}
	chosen, err := s.choose(open)
	if err != nil {
		return nil, err
	}
	rest, err := s.named(disks, true)
	if err != nil {
		return nil, err
	}
	return slices.Concat(volumes, chosen, rest), nil
}

// named places the logical disks whose drives are named in the configuration. If takesAll is set, it places only the
// disks that take all the space. Otherwise it places only those with a given size.
func (s *search) named(disks []LogicalDisk, takesAll bool) ([]Volume, error) {
	var volumes []Volume
	all := make([]int, len(s.drives))
	for i := range all {
		all[i] = i
	}
	for i := range disks {
		if !disks[i].HasDrives() || disks[i].Max != takesAll {
			continue
		}
		v := Volume{LogicalDisk: disks[i], Drives: disks[i].Drives}
		if err := s.place(&v, all, s.free); err != nil {
			return nil, err
		}
		volumes = append(volumes, v)
	}
	return volumes, nil
}

// choose finds drives for the logical disks whose drives are not named in the configuration. If necessary, it also
// uses the reserved drives.
func (s *search) choose(disks []LogicalDisk) ([]Volume, error) {
	if len(disks) == 0 {
		return nil, nil
	}
	q := &queue{open: disks}
	found, free, err := s.assign(q, s.free)
	if err == nil && !found {
		for _, g := range s.groups {
			g.drives = append(g.drives, g.reserved...)
		}
		found, free, err = s.assign(q, free)
	}
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, redfishError("failed to find matching physical disks for all logical disks")
	}
	s.free = free
	return q.done, nil
}

// queue corresponds to Ironic's logical_disks list. Ironic keeps the disks that are still to be placed at the start
// of this list, and the placed ones at its end.
type queue struct {
	open []LogicalDisk
	done []Volume
}

// assign places the first disk of the queue, and then the other ones (_assign_disks_to_volume). If placing a later
// disk fails with an error, Ironic tries the next drives but forgets that disk. This is a bug: Ironic does not put
// the disk back into the list.
func (s *search) assign(q *queue, free []int64) (bool, []int64, error) {
	disk := q.open[0]
	q.open = q.open[1:]
	for _, g := range s.groups {
		fits, err := g.fits(&disk)
		if err != nil {
			return false, nil, err
		}
		if !fits {
			continue
		}
		drives := s.candidates(g, &disk, free)
		counts, err := candidateCounts(&disk, len(drives))
		if err != nil {
			return false, nil, err
		}
		for _, n := range counts {
			found, left, err := s.try(q, disk, drives[:n], free)
			if err != nil || found {
				return found, left, err
			}
		}
	}
	q.open = slices.Concat([]LogicalDisk{disk}, q.open)
	return false, free, nil
}

// try places disk on the given drives, and then the rest of the queue. It returns only the errors that Ironic does
// not handle.
func (s *search) try(q *queue, disk LogicalDisk, drives []int, free []int64) (bool, []int64, error) {
	v, left := Volume{LogicalDisk: disk}, slices.Clone(free)
	for _, i := range drives {
		v.Drives = append(v.Drives, s.drives[i].ID)
	}
	if err := s.place(&v, drives, left); err != nil {
		return false, nil, unlessRedfish(err)
	}
	if len(q.open) > 0 {
		found, rest, err := s.assign(q, left)
		if err != nil || !found {
			return false, nil, unlessRedfish(err)
		}
		left = rest
	}
	q.done = append(q.done, v)
	return true, left, nil
}

// unlessRedfish returns err unless it is a RedfishError, which Ironic handles here.
func unlessRedfish(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Class == RedfishError {
		return nil
	}
	return err
}
