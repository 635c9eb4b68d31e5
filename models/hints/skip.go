package hints

import (
	"slices"
	"strings"
)

// Skipped determines the disks that skip_block_devices excludes. It maps the name of each such disk to the index of
// the first entry that matches it. The error is a *Error.
func (s Search) Skipped(disks []Disk) (map[string]int, error) {
	skipped, err := s.skipped(disks)
	return skipped, asError(err)
}

// SkipEntries converts each entry of skip_block_devices to [Hints].
func (s Search) SkipEntries() []Hints {
	entries, _ := pythonItems(s.Skip.value)
	hints := make([]Hints, len(entries))
	for i, entry := range entries {
		hints[i] = Hints{entry}
	}
	return hints
}

// NamesVolume reports whether the hints name a software RAID volume. The agent compares such hints with the existing
// RAID volumes instead of the disks.
func (h Hints) NamesVolume() bool {
	names, _ := hasVolumeName(h.value)
	return names
}

func (s Search) candidates(disks []Disk) ([]Disk, *Error) {
	skipped, err := s.skipped(disks)
	if err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(slices.Clone(disks), func(d Disk) bool {
		_, skip := skipped[d.Name]
		return skip
	})
	return left, s.checkVolumes()
}

func (s Search) skipped(disks []Disk) (map[string]int, *Error) {
	if !s.Skip.IsSet() || len(disks) == 0 {
		return nil, nil
	}
	entries, err := pythonItems(s.Skip.value)
	if err != nil {
		return nil, err
	}
	skipped := map[string]int{}
	for i, entry := range entries {
		volume, err := hasVolumeName(entry)
		if err != nil {
			return nil, err
		}
		if volume {
			continue
		}
		for d, err := range (Hints{entry}).find(disks, s.Generation) {
			if err != nil {
				return nil, err
			}
			if _, known := skipped[d.Name]; !known {
				skipped[d.Name] = i
			}
		}
	}
	return skipped, nil
}

// checkVolumes emulates how the newest agent reads the volume names in skip_block_devices. It returns the error with
// which the agent fails if an entry with a volume name is not an object.
func (s Search) checkVolumes() *Error {
	if s.Generation == GenerationOld || !s.Skip.IsSet() {
		return nil
	}
	entries, err := pythonItems(s.Skip.value)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		volume, err := hasVolumeName(entry)
		if err != nil {
			return err
		}
		if !volume {
			continue
		}
		switch e := entry.(type) {
		case string:
			return raised("TypeError", "string indices must be integers, not 'str'")
		case PythonList:
			return raised("TypeError", "list indices must be integers or slices, not str")
		case *PythonDict:
			switch name := e.Get(volumeName).(type) {
			case PythonList, *PythonDict:
				return raised("TypeError", "unhashable type: '%s'", PythonTypeName(name))
			}
		}
	}
	return nil
}

const volumeName = "volume_name"

// hasVolumeName emulates the Python expression "'volume_name' in entry".
func hasVolumeName(entry any) (bool, *Error) {
	switch e := entry.(type) {
	case *PythonDict:
		_, ok := e.values[volumeName]
		return ok, nil
	case string:
		return strings.Contains(e, volumeName), nil
	case PythonList:
		return slices.ContainsFunc(e, func(item any) bool { return item == any(volumeName) }), nil
	}
	return false, raised("TypeError", "argument of type '%s' is not iterable", PythonTypeName(entry))
}

// pythonItems returns the items that a Python loop over v would visit.
func pythonItems(v any) (PythonList, *Error) {
	var items PythonList
	switch v := v.(type) {
	case PythonList:
		return v, nil
	case *PythonDict:
		for _, key := range v.keys {
			items = append(items, key)
		}
	case string:
		for _, c := range v {
			items = append(items, string(c))
		}
	default:
		return nil, raised("TypeError", "'%s' object is not iterable", PythonTypeName(v))
	}
	return items, nil
}
