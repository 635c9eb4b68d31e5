package metal3

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ironworks/enroll/document"
)

// hint is a root device hint of Metal3 with Ironic's name and operator (baremetal-operator, devicehints.go).
type hint struct{ metal3, ironic, operator string }

// hintsByName are the hints in the order of Metal3's API. deviceName is by_path for links below /dev/disk/by-path.
func hintsByName() []hint {
	return []hint{
		{"deviceName", "name", "s== "},
		{"hctl", "hctl", "s== "},
		{"model", "model", "<in> "},
		{"vendor", "vendor", "<in> "},
		{"serialNumber", "serial", "s== "},
		{"minSizeGigabytes", "size", ">= "},
		{"wwn", "wwn", "s== "},
		{"wwnWithExtension", "wwn_with_extension", "s== "},
		{"wwnVendorExtension", "wwn_vendor_extension", "s== "},
		{"rotational", "rotational", ""},
	}
}

const byPath = "/dev/disk/by-path/"

// hints returns Ironic's hints for Metal3's.
func (h *hostReader) hints(of document.Member) map[string]any {
	out := map[string]any{}
	if of.Value.Kind != document.Object && of.Value.Kind != document.Null {
		h.problem(of.Line, "spec.%s: want an object, not %s", of.Key, of.Value.Kind)
	}
	for _, m := range of.Value.Members {
		value, ok := m.Value.Scalar()
		if wrong := wrongHint(m); ok && wrong != "" {
			h.problem(m.Line, "spec.%s.%s: want %s", of.Key, m.Key, wrong)
			continue
		}
		if m.Value.Kind == document.Bool {
			value = strconv.FormatBool(m.Value.True())
		}
		known := false
		for _, one := range hintsByName() {
			if one.metal3 != m.Key {
				continue
			}
			known = true
			name := one.ironic
			if name == "name" && strings.HasPrefix(value, byPath) {
				name = "by_path"
			}
			if value != "" && (name != "size" || value != "0") {
				out[name] = one.operator + value
			}
		}
		switch {
		case !known:
			h.problem(m.Line, "spec.%s.%s: unknown hint; without it another disk may be erased", of.Key, m.Key)
		case !ok && m.Value.Kind != document.Null:
			h.problem(m.Line, "spec.%s.%s: want a string, not %s", of.Key, m.Key, m.Value.Kind)
		}
	}
	return out
}

// wrongHint returns what the value of a hint must be, "" if it is.
func wrongHint(m document.Member) string {
	switch m.Key {
	case "rotational":
		if m.Value.Kind != document.Bool {
			return "true or false"
		}
	case "minSizeGigabytes":
		if size, err := strconv.Atoi(m.Value.Literal); m.Value.Kind != document.Number || err != nil || size < 0 {
			return "a whole number"
		}
	}
	return ""
}

// raid reports the target RAID configuration: Ironic takes it by a request of its own, for manual cleaning.
func (h *hostReader) raid(m document.Member) {
	var disks []any
	hardware, software := m.Value.Get("hardwareRAIDVolumes"), m.Value.Get("softwareRAIDVolumes")
	for _, v := range hardware.Items {
		disk := h.volume("hardwareRAIDVolumes", v, map[string]string{
			"level": "raid_level", "name": "volume_name", "numberOfPhysicalDisks": "number_of_physical_disks", "controller": "controller", "physicalDisks": "physical_disks",
		})
		if rotational := v.Get("rotational"); rotational.Kind == document.Bool {
			disk["disk_type"] = map[bool]string{true: "hdd", false: "ssd"}[rotational.True()]
		}
		disks = append(disks, disk)
	}
	if len(hardware.Items) == 0 {
		for _, v := range software.Items {
			disk := h.volume("softwareRAIDVolumes", v, map[string]string{"level": "raid_level", "rootVolume": "is_root_volume"})
			disk["controller"] = "software"
			physical := v.Get("physicalDisks")
			var by []any
			for _, p := range physical.Items {
				by = append(by, h.hints(document.Member{Key: "raid.softwareRAIDVolumes.physicalDisks", Line: p.Line, Value: p}))
			}
			if by != nil {
				disk["physical_disks"] = by
			}
			disks = append(disks, disk)
		}
		if disks != nil {
			h.node.Set("agent", "raid_interface")
		}
	} else if len(software.Items) > 0 {
		h.problem(m.Line, "spec.raid: hardwareRAIDVolumes and softwareRAIDVolumes exclude each other")
	}
	if disks == nil {
		if hardware.Kind == document.List || software.Kind == document.List {
			h.note(m.Line, "spec.raid: no volumes, which deletes the RAID; use the clean step raid.delete_configuration")
		}
		return
	}
	config, err := json.Marshal(map[string]any{"logical_disks": disks})
	if err != nil {
		h.problem(m.Line, "spec.raid: %v", err)
		return
	}
	h.note(m.Line, "spec.raid: not set; set target_raid_config %s, then run the clean steps raid.delete_configuration and raid.create_configuration", config)
}

// volume returns a logical disk of target_raid_config.
func (h *hostReader) volume(of string, v document.Value, names map[string]string) map[string]any {
	disk := map[string]any{"size_gb": "MAX"}
	for _, m := range v.Members {
		switch name := names[m.Key]; {
		case m.Key == "sizeGibibytes":
			if size, _ := m.Value.Scalar(); size != "0" && size != "" {
				disk["size_gb"] = m.Value.Any()
			}
		case name != "":
			disk[name] = m.Value.Any()
		case m.Key != "rotational" && m.Key != "physicalDisks":
			h.note(m.Line, "spec.raid.%s.%s: not carried over", of, m.Key)
		}
	}
	if disk["raid_level"] == nil {
		h.problem(v.Line, "spec.raid.%s: a volume without level", of)
	}
	return disk
}

// hintOf returns Metal3's hint for one of Ironic's, and an error for what Metal3 cannot say.
func hintOf(name, value string) (key string, out any, err error) {
	if name == "by_path" {
		name = "name"
	}
	for _, h := range hintsByName() {
		if h.ironic != name {
			continue
		}
		rest, operator := value, ""
		if i := strings.IndexByte(value, ' '); i > 0 && (strings.HasSuffix(value[:i], "=") || value[:i] == "<in>") {
			operator, rest = value[:i+1], strings.TrimSpace(value[i+1:])
		}
		switch {
		case name == "rotational":
			return h.metal3, strings.EqualFold(rest, "true"), nil
		case name == "size":
			var size int
			if _, scan := fmt.Sscanf(rest, "%d", &size); scan != nil || operator != h.operator {
				return "", nil, fmt.Errorf("size %q: Metal3 knows a minimum only, as >= N", value)
			}
			return h.metal3, size, nil
		case operator == "" || operator == "== " || operator == "= ":
			if h.operator == "<in> " {
				return h.metal3, rest, fmt.Errorf("%s %q: Metal3 also picks a disk that contains it", name, value)
			}
			return h.metal3, rest, nil
		case operator == h.operator || operator == "s== ":
			if operator != h.operator {
				err = fmt.Errorf("%s %q: Metal3 also picks a disk that contains it", name, value)
			}
			return h.metal3, rest, err
		}
		return "", nil, fmt.Errorf("%s %q: Metal3 has no operator for it", name, value)
	}
	return "", nil, fmt.Errorf("%s: no hint of Metal3", name)
}
