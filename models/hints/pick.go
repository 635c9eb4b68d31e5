package hints

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// minRootDisk is the minimum size, in bytes, of a disk that is selected without hints (ironic_python_agent/utils.py,
// guess_root_disk).
const minRootDisk = 4 * GiB

// Search describes the agent's search for the disk to install to (ironic_python_agent/hardware.py,
// get_os_install_device).
type Search struct {
	Generation Generation
	Hints      Hints
	// Skip is the value of skip_block_devices in the node's properties. An entry with a volume_name refers to a
	// software RAID volume, which does not appear in an inventory.
	Skip Hints
	// RAID lists the volumes that the same agent has just created with is_root_volume. Only the newest agent
	// considers them.
	RAID []RAIDVolume
}

// RAIDVolume is a software RAID volume. Parts lists the names of its disks and partitions.
type RAIDVolume struct {
	Name  string
	Root  bool
	Parts []string
}

// Pick returns the name of the disk that the agent selects. If it selects none, the error is a *Error.
func (s Search) Pick(disks []Disk) (string, error) {
	name, err := s.pick(disks)
	return name, asError(err)
}

func (s Search) pick(disks []Disk) (string, *Error) {
	disks, err := s.candidates(disks)
	if err != nil {
		return "", err
	}
	if s.Generation == GenerationNewest {
		for _, volume := range s.RAID {
			if volume.Root {
				return volume.Name, nil
			}
			disks = slices.DeleteFunc(slices.Clone(disks), func(d Disk) bool {
				return d.Name == volume.Name || slices.Contains(volume.Parts, d.Name)
			})
		}
	}
	if !s.Hints.IsSet() {
		return smallest(disks)
	}
	for d, err := range s.Hints.find(disks, s.Generation) {
		switch {
		case err != nil && err.Class == "ValueError":
			return "", raised(deviceNotFound, "No devices could be found using the root device hints %s because they failed to validate. Error: %s",
				PythonStr(s.Hints.value), err.Text)
		case err != nil:
			return "", err
		}
		return d.Name, nil
	}
	return "", raised(deviceNotFound, "No suitable device was found for deployment using these hints %s", PythonStr(s.Hints.value))
}

// Matching yields the disks that match all hints, in their original order. It stops after the first error. If the
// hints are empty but there are disks, it yields an error, as the agent does for an empty entry of
// skip_block_devices.
func (h Hints) Matching(disks []Disk, by Generation) iter.Seq2[Disk, error] {
	return func(yield func(Disk, error) bool) {
		for d, err := range h.find(disks, by) {
			if !yield(d, asError(err)) {
				return
			}
		}
	}
}

// find emulates the agent's find_devices_by_hints. It stops after the first error.
func (h Hints) find(disks []Disk, by Generation) iter.Seq2[Disk, *Error] {
	return func(yield func(Disk, *Error) bool) {
		for i := range disks {
			if name := disks[i].report().Get("name"); PythonTypeName(name) != "str" {
				yield(Disk{}, raised("TypeError", "sequence item %d: expected str instance, %s found", i, PythonTypeName(name)))
				return
			}
		}
		r := newReader(by, true)
		hints, err := r.parse(h.value)
		if err == nil && hints == nil && len(disks) > 0 {
			err = raised("TypeError", "'NoneType' object is not iterable")
		}
		if err != nil {
			yield(Disk{}, err)
			return
		}
		for i := range disks {
			fits, err := r.fitAll(hints, &disks[i])
			if err != nil {
				yield(Disk{}, err)
				return
			}
			if fits && !yield(disks[i], nil) {
				return
			}
		}
	}
}

func (r reader) fitAll(hints []parsedHint, d *Disk) (bool, *Error) {
	for _, hint := range hints {
		if fits, err := r.fits(hint, d); err != nil || !fits {
			return false, err
		}
	}
	return true, nil
}

func (r reader) fits(h parsedHint, d *Disk) (bool, *Error) {
	value := d.report().Get(string(h.name))
	switch h.name {
	case Size:
		size, ok := PythonFloat(value)
		if !ok {
			return false, raised("TypeError", "unsupported operand type(s) for /: '%s' and 'int'", PythonTypeName(value))
		}
		return r.match(size/GiB, h.spec)
	case Rotational:
		has, ok := PythonBool(value)
		return ok && has == h.want, nil
	default:
	}
	if list, ok := value.(PythonList); ok && r.generation == GenerationNewest {
		return r.fitsOne(h, list)
	}
	// A missing attribute is None in Python, and is compared as the text "none". An empty attribute raises a
	// ValueError, and does not match.
	text, err := r.normalize(value, r.empty(h.name))
	switch {
	case err == nil:
		return r.match(text, h.spec)
	case err.Class == "ValueError":
		return false, nil
	}
	return false, err
}

// fitsOne reports whether at least one of the values matches the hint. It skips values that cannot be compared.
func (r reader) fitsOne(h parsedHint, values PythonList) (bool, *Error) {
	for _, v := range values {
		if v == nil {
			continue
		}
		text, err := r.normalize(v, r.empty(h.name))
		fits := false
		if err == nil {
			fits, err = r.match(text, h.spec)
		}
		if err != nil && err.Class != "ValueError" {
			return false, err
		}
		if fits && err == nil {
			return true, nil
		}
	}
	return false, nil
}

// smallest returns the name of the disk that the agent selects without hints, which is the smallest disk of at least
// [minRootDisk] bytes. If several disks have this size, the agent selects the one whose name sorts first.
func smallest(disks []Disk) (string, *Error) {
	// If a size is not a number, Python can neither sort the sizes nor compare them with the minimum.
	for i := range disks {
		size := disks[i].report().Get("size")
		if _, ok := PythonFloat(size); !ok {
			return "", raised("TypeError", "'<' not supported between instances of '%s' and 'int'", PythonTypeName(size))
		}
	}
	size := func(d Disk) float64 {
		n, _ := PythonFloat(d.report().Get("size"))
		return n
	}
	named, nameless := map[float64]bool{}, map[float64]bool{}
	for _, d := range disks {
		if d.report().Get("name") != nil {
			named[size(d)] = true
		} else {
			nameless[size(d)] = true
		}
		if named[size(d)] && nameless[size(d)] {
			return "", raised("TypeError", "'<' not supported between instances of 'NoneType' and 'str'")
		}
	}
	sorted := slices.SortedStableFunc(slices.Values(disks), func(a, b Disk) int {
		return cmp.Or(cmp.Compare(size(a), size(b)), strings.Compare(a.Name, b.Name))
	})
	if i := slices.IndexFunc(sorted, func(d Disk) bool { return size(d) >= minRootDisk }); i >= 0 {
		return sorted[i].Name, nil
	}
	return "", raised(deviceNotFound, "No suitable device was found for deployment - root device hints were not provided and all found block devices are smaller than %dB.", int64(minRootDisk))
}
