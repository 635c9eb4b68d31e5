package raid

import "slices"

// level describes a RAID level that the redfish RAID interface supports (RAID_LEVELS in
// ironic/drivers/modules/redfish/raid.py).
type level struct {
	least, most, overhead int
	// redfish is the level's RAIDType in Redfish. span is the RAID level of each span, or "" for a level without
	// spans.
	redfish, span string
}

// manyDisks is the number that Ironic uses if a level has no maximum number of disks.
const manyDisks = 1000

var levels = map[string]level{
	"0":   {least: 1, most: manyDisks, redfish: "RAID0"},
	"1":   {least: 2, most: 2, overhead: 1, redfish: "RAID1"},
	"5":   {least: 3, most: manyDisks, overhead: 1, redfish: "RAID5"},
	"6":   {least: 4, most: manyDisks, overhead: 2, redfish: "RAID6"},
	"1+0": {redfish: "RAID10", span: "1"},
	"5+0": {redfish: "RAID50", span: "5"},
	"6+0": {redfish: "RAID60", span: "6"},
}

// RedfishType returns the Redfish RAIDType of a RAID level. It returns "" if the redfish RAID interface does not
// support the level.
func RedfishType(name string) string { return levels[name].redfish }

// LevelOf returns the RAID level of a Redfish RAIDType. It returns "" for a type that Ironic does not create.
func LevelOf(redfish string) string {
	for name, l := range levels {
		if l.redfish == redfish {
			return name
		}
	}
	return ""
}

// spans returns the number of spans in a volume with the named RAID level and the given number of disks
// (_calculate_spans).
func spans(name string, disks int) (int, error) {
	switch {
	case slices.Contains([]string{"0", "1", "5", "6"}, name):
		return 1, nil
	case name == "5+0" || name == "6+0":
		return 2, nil
	case name == "1+0":
		return disks / 2, nil
	}
	return 0, redfishError("Cannot calculate spans for RAID level \"%s\"", name)
}

// simple returns the RAID level of each span or, if the level has no spans, the level itself. It expects a level for
// which [spans] did not fail.
func simple(name string, spans int) (level, error) {
	l := levels[name]
	if l.span == "" {
		return l, nil
	}
	if spans <= 1 {
		return level{}, redfishError("Spanned RAID volumes cannot contain a single span")
	}
	return levels[l.span], nil
}

// usable reports whether a volume of the named RAID level can consist of exactly the given number of disks
// (_usable_disks_count).
func usable(name string, disks int) bool { return levels[name].span == "" || disks%2 == 0 }
