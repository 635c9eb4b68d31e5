// Package raid predicts how Ironic handles a target RAID configuration: whether the API accepts it, which drives of a
// hardware controller are used for each logical disk, and whether the agent accepts it as software RAID.
//
// The package follows Ironic 39.0.0 (ironic/common/raid.py, ironic/drivers/raid_config_schema.json,
// ironic/drivers/modules/redfish/raid.py) and the agent's GenericHardwareManager. It reproduces Ironic's bugs,
// because a preview has to show what Ironic really does. test/upstream compares the results for random configurations
// with those of Ironic's own functions.
package raid

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"ironworks/models/hints"
)

// maxGiB is the largest size that Assign can handle: its number of bytes still fits in 63 bits.
const maxGiB = math.MaxInt64 >> 30

// LogicalDisk is a volume to create. A target RAID configuration is a list of logical disks.
type LogicalDisk struct {
	// SizeGB is the size in GiB. If Max is set, the disk takes all the space instead.
	SizeGB int64
	Max    bool
	// RAIDLevel is one of [Levels].
	RAIDLevel  string
	VolumeName string
	IsRoot     bool
	// Share means that other logical disks may use the same drives.
	Share bool
	// DiskType is hdd or ssd. InterfaceType is sata, scsi or sas. If empty, any type is allowed.
	DiskType, InterfaceType string
	// DriveCount is the number of drives to use. 0 means the smallest possible number.
	DriveCount int
	Controller string
	// Drives lists the IDs of drives behind a hardware controller. If it is nil, Ironic chooses the drives. Hints
	// select the drives for a software RAID.
	Drives []string
	Hints  []hints.Hints

	given *hints.PythonDict // the logical disk as error messages quote it
}

// HasDrives reports whether the configuration names the drives of the logical disk. An empty list also counts.
func (d *LogicalDisk) HasDrives() bool { return d.Drives != nil || d.Hints != nil }

// Decode decodes the logical disks of a configuration. config is a value decoded from YAML or JSON, or a
// *hints.PythonDict. Decode accepts the same configurations as [Check], but reports all problems, each with the number
// of the logical disk, the key and the value.
func Decode(config any) ([]LogicalDisk, error) {
	given, ok := pythonOf(config).(*hints.PythonDict)
	if !ok {
		return nil, fmt.Errorf("a RAID configuration must be an object with the key %q, not %s", KeyDisks, hints.PythonRepr(pythonOf(config)))
	}
	for _, key := range given.Keys() {
		if key != KeyDisks {
			return nil, fmt.Errorf("unknown key %q: a RAID configuration has only the key %q", key, KeyDisks)
		}
	}
	list, _ := given.Get(KeyDisks).(hints.PythonList)
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: %s: list at least one logical disk", KeyDisks, hints.PythonRepr(given.Get(KeyDisks)))
	}
	r := reader{}
	var disks []LogicalDisk
	roots := 0
	for i, v := range list {
		r.number = i + 1
		disk := r.disk(v)
		disks = append(disks, disk)
		if disk.IsRoot {
			if roots++; roots == 2 {
				r.fail(KeyRoot, true, "only one logical disk can be the root volume")
			}
		}
	}
	if len(r.problems) > 0 {
		return nil, errors.Join(r.problems...)
	}
	return disks, nil
}

type reader struct {
	number   int
	given    *hints.PythonDict
	problems []error
}

func (r *reader) fail(key string, value any, fix string) {
	r.problems = append(r.problems, fmt.Errorf("logical disk %d: %s: %s: %s", r.number, key, hints.PythonRepr(value), fix))
}

func (r *reader) disk(v any) LogicalDisk {
	given, ok := v.(*hints.PythonDict)
	if !ok {
		r.problems = append(r.problems, fmt.Errorf("logical disk %d: %s: use an object with %s and %s", r.number, hints.PythonRepr(v), KeyLevel, KeySize))
		return LogicalDisk{}
	}
	r.given = given
	known := []string{KeyLevel, KeySize, KeyName, KeyRoot, KeyShare, KeyDiskType, KeyInterface, KeyCount, KeyController, KeyDrives}
	for _, key := range given.Keys() {
		if !slices.Contains(known, key) {
			r.fail(key, given.Get(key), "unknown key; known keys: "+strings.Join(known, ", "))
		}
	}
	for _, key := range []string{KeyLevel, KeySize} {
		if !given.Has(key) {
			r.problems = append(r.problems, fmt.Errorf("logical disk %d: %s is missing", r.number, key))
		}
	}
	d := LogicalDisk{
		given: given, RAIDLevel: r.word(KeyLevel, Levels()), VolumeName: r.text(KeyName), IsRoot: r.bool(KeyRoot), Share: r.bool(KeyShare),
		DiskType: r.word(KeyDiskType, diskTypes()), InterfaceType: r.word(KeyInterface, interfaceTypes()),
		DriveCount: r.count(), Controller: r.text(KeyController),
	}
	d.SizeGB, d.Max = r.size()
	r.physical(&d)
	return d
}

func (r *reader) text(key string) string {
	text, ok := r.given.Get(key).(string)
	if !ok && r.given.Has(key) {
		r.fail(key, r.given.Get(key), "use a string, in quotes")
	}
	return text
}

func (r *reader) word(key string, words []string) string {
	text, _ := r.given.Get(key).(string)
	if r.given.Has(key) && !slices.Contains(words, text) {
		r.fail(key, r.given.Get(key), "use one of "+strings.Join(words, ", "))
	}
	return text
}

func (r *reader) bool(key string) bool {
	yes, ok := r.given.Get(key).(bool)
	if !ok && r.given.Has(key) {
		r.fail(key, r.given.Get(key), "use true or false")
	}
	return yes
}

func (r *reader) count() int {
	number, _ := r.given.Get(KeyCount).(hints.PythonInt)
	n, err := strconv.ParseInt(string(number), 10, 32)
	if r.given.Has(KeyCount) && (err != nil || n <= 0) {
		r.fail(KeyCount, r.given.Get(KeyCount), "use a whole number of drives, at least 1")
	}
	return int(n)
}

func (r *reader) size() (gib int64, takesAll bool) {
	value := r.given.Get(KeySize)
	if value == allMax || !r.given.Has(KeySize) {
		return 0, value == allMax
	}
	number, _ := value.(hints.PythonInt)
	gib, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil || gib < 0 || gib > maxGiB {
		r.fail(KeySize, value, fmt.Sprintf("use a whole number of GiB, or %q", allMax))
	}
	return gib, false
}

func (r *reader) physical(d *LogicalDisk) {
	value := r.given.Get(KeyDrives)
	if !r.given.Has(KeyDrives) {
		return
	}
	if !r.given.Has(KeyController) {
		r.fail(KeyDrives, value, "specify the controller as well")
	}
	list, isList := value.(hints.PythonList)
	names, objects := []string{}, []hints.Hints{}
	for _, v := range list {
		switch v := v.(type) {
		case string:
			names = append(names, v)
		case *hints.PythonDict:
			if raw, err := v.MarshalJSON(); err == nil {
				if h, err := hints.Decode(raw); err == nil {
					objects = append(objects, h)
				}
			}
		}
	}
	switch {
	case isList && len(names) == len(list):
		d.Drives = names
	case isList && len(objects) == len(list) && len(list) >= 2:
		d.Hints = objects
	default:
		r.fail(KeyDrives, value, "list drive IDs, or, for software RAID, two or more objects with device hints")
	}
}

// pythonOf converts a value decoded from YAML or JSON to a Python value, because Ironic's errors quote values. The
// keys of a map are sorted; a *hints.PythonDict keeps its order.
func pythonOf(v any) any {
	switch v := v.(type) {
	case json.Number:
		return hints.PythonNumber(v.String())
	case int, int64, uint64:
		return hints.PythonInt(fmt.Sprint(v))
	case []any:
		list := make(hints.PythonList, len(v))
		for i := range v {
			list[i] = pythonOf(v[i])
		}
		return list
	case map[string]any:
		d := &hints.PythonDict{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			d.Set(key, pythonOf(v[key]))
		}
		return d
	}
	return v
}
