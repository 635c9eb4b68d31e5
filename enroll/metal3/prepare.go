package metal3

import (
	"fmt"
	"slices"

	"ironworks/document"
	"ironworks/enroll"
	"ironworks/models"
)

// preparation returns the host's preparation. It creates an empty one if there is none.
func (h *hostReader) preparation() *enroll.Preparation {
	if h.node.Prepare == nil {
		h.node.Prepare = &enroll.Preparation{}
	}
	return h.node.Prepare
}

// raid reads the RAID configuration (baremetal-operator, pkg/provisioner/ironic/raid.go). If the volumes are null or
// missing, the machine keeps its RAID. An empty list deletes it.
func (h *hostReader) raid(m document.Member) {
	if m.Value.Kind != document.Object && m.Value.Kind != document.Null {
		h.problem(m.Line, "spec.raid: must be an object, not %s", m.Value.Kind)
	}
	var hardware, software document.Member
	for _, volumes := range m.Value.Members {
		switch {
		case volumes.Value.Kind == document.Null:
		case volumes.Value.Kind != document.List:
			h.problem(volumes.Line, "spec.raid.%s: must be a list, not %s", volumes.Key, volumes.Value.Kind)
		case volumes.Key == "hardwareRAIDVolumes":
			hardware = volumes
		case volumes.Key == "softwareRAIDVolumes":
			software = volumes
		default:
			h.note(volumes.Line, "spec.raid.%s: not carried over", volumes.Key)
		}
	}
	raid := &enroll.RAID{}
	switch {
	case len(hardware.Value.Items) > 0 && len(software.Value.Items) > 0:
		h.problem(m.Line, "spec.raid: hardwareRAIDVolumes and softwareRAIDVolumes cannot be combined")
		return
	case len(software.Value.Items) > 0 || software.Key != "" && hardware.Key == "":
		h.softwareRAID(software, raid)
	case hardware.Key != "":
		h.hardwareRAID(hardware, raid)
	default:
		return
	}
	h.rootVolume(m.Line, raid)
	h.preparation().RAID = raid
}

// rootVolume makes the first volume the root device if neither a volume nor hints select it.
func (h *hostReader) rootVolume(line int, raid *enroll.RAID) {
	hinted, roots := len(h.spec.Get("rootDeviceHints").Members) > 0, 0
	for _, disk := range raid.Disks {
		if d, _ := disk.(map[string]any); d["is_root_volume"] == true {
			roots++
		}
	}
	switch {
	case roots > 1:
		h.problem(line, "spec.raid: %d volumes have rootVolume; only one can be the root device", roots)
	case roots == 1 && hinted:
		h.problem(line, "spec.raid: rootVolume cannot be combined with spec.rootDeviceHints")
	case roots == 0 && !hinted && len(raid.Disks) > 0:
		disk, _ := raid.Disks[0].(map[string]any)
		disk["is_root_volume"] = true
	}
}

func (h *hostReader) hardwareRAID(volumes document.Member, raid *enroll.RAID) {
	if len(volumes.Value.Items) > 0 && models.TextOf(h.node.Fields["raid_interface"]) == "no-raid" {
		h.problem(volumes.Line, "spec.raid: driver %s does not support hardware RAID; use softwareRAIDVolumes", h.node.Driver())
	}
	names := map[string]bool{}
	for _, v := range volumes.Value.Items {
		disk := h.volume(volumes.Key, v, map[string]string{
			"level": "raid_level", "name": "volume_name", "numberOfPhysicalDisks": "number_of_physical_disks", "controller": "controller", "physicalDisks": "physical_disks",
		})
		if rotational := v.Get("rotational"); rotational.Kind == document.Bool {
			disk["disk_type"] = map[bool]string{true: "hdd", false: "ssd"}[rotational.True()]
		}
		physical := v.Get("physicalDisks").Items
		number, counted := disk["number_of_physical_disks"]
		switch name := models.TextOf(disk["volume_name"]); {
		case name != "" && names[name]:
			h.problem(v.Line, "spec.raid: the name %s appears twice", name)
		case len(physical) > 0 && models.TextOf(disk["controller"]) == "":
			h.problem(v.Line, "spec.raid: physicalDisks requires controller")
		case len(physical) > 0 && counted && fmt.Sprint(number) != fmt.Sprint(len(physical)):
			h.problem(v.Line, "spec.raid: numberOfPhysicalDisks is %v, but physicalDisks has %d", number, len(physical))
		default:
			names[name] = true
		}
		raid.Disks = append(raid.Disks, disk)
	}
}

func (h *hostReader) softwareRAID(volumes document.Member, raid *enroll.RAID) {
	raid.Software = true
	for i, v := range volumes.Value.Items {
		disk := h.volume(volumes.Key, v, map[string]string{"level": "raid_level"})
		disk["controller"], disk["is_root_volume"] = "software", v.Get("rootVolume").True()
		if i == 0 && disk["raid_level"] != "1" {
			h.problem(v.Line, "spec.raid: the first software volume has the level %v; Metal3 requires 1", disk["raid_level"])
		}
		var by []any
		for _, p := range v.Get("physicalDisks").Items {
			by = append(by, h.hints(document.Member{Key: "raid.softwareRAIDVolumes.physicalDisks", Line: p.Line, Value: p}))
		}
		if by != nil {
			disk["physical_disks"] = by
		}
		raid.Disks = append(raid.Disks, disk)
	}
	delete(h.node.Fields, "raid_interface") // without volumes, the interface is not set
	if len(raid.Disks) > 0 {
		h.node.Set("agent", "raid_interface")
		h.node.Derived = slices.DeleteFunc(h.node.Derived, func(field string) bool { return field == "raid_interface" })
	}
}

// volume converts a volume to a logical disk in target_raid_config. names maps Metal3's field names to Ironic's.
func (h *hostReader) volume(of string, v document.Value, names map[string]string) map[string]any {
	disk := map[string]any{"size_gb": "MAX"}
	if v.Kind != document.Object {
		h.problem(v.Line, "spec.raid.%s: must be an object, not %s", of, v.Kind)
	}
	for _, m := range v.Members {
		switch name := names[m.Key]; {
		case m.Value.Kind == document.Null:
		case m.Key == "sizeGibibytes":
			if size, _ := m.Value.Scalar(); size != "0" && size != "" {
				disk["size_gb"] = m.Value.Any()
			}
		case m.Key == "level":
			disk[name], _ = m.Value.Scalar()
		case name != "":
			disk[name] = m.Value.Any()
		case m.Key != "rotational" && m.Key != "physicalDisks" && m.Key != "rootVolume":
			h.note(m.Line, "spec.raid.%s.%s: not carried over", of, m.Key)
		}
	}
	if disk["raid_level"] == nil || disk["raid_level"] == "" {
		h.problem(v.Line, "spec.raid.%s: a volume has no level", of)
	}
	return disk
}

// firmwareSettings adds the BIOS settings from a HostFirmwareSettings object to the preparation.
func (h *hostReader) firmwareSettings(v document.Value) {
	settings := v.Get("spec").Get("settings")
	switch {
	case settings.Kind != document.Object && settings.Kind != document.Null:
		h.problem(settings.Line, "HostFirmwareSettings: spec.settings: must be an object, not %s", settings.Kind)
		return
	case len(settings.Members) > 0 && h.node.Driver() == "ipmi":
		h.note(v.Line, "HostFirmwareSettings: not applied because the ipmi driver has no BIOS settings")
		return
	}
	for _, m := range settings.Members {
		if m.Value.Kind != document.Text && m.Value.Kind != document.Number {
			h.problem(m.Line, "HostFirmwareSettings: spec.settings.%s: must be a string or a number, not %s; quote it", m.Key, m.Value.Kind)
			continue
		}
		if p := h.preparation(); p.BIOS == nil {
			p.BIOS = map[string]any{}
		}
		h.node.Prepare.BIOS[m.Key] = m.Value.Any()
	}
}

// firmwareComponents adds notes about the firmware that Metal3 would flash.
func (h *hostReader) firmwareComponents(v document.Value) {
	for _, u := range v.Get("spec").Get("updates").Items {
		h.note(u.Line, "HostFirmwareComponents %s from %s: not flashed, because Ironic does not record the source, and enrolling again would flash it again; "+
			"flash it with manual cleaning, using the firmware.update step", text(u, "component"), models.MaskURL(text(u, "url")))
	}
}

// unprepared drops the preparation of a machine in use, because the preparation would change the machine.
func (h *hostReader) unprepared() {
	if h.node.Adopt && h.node.Prepare != nil {
		h.note(h.value.Line, "%s: not applied because the host is provisioned", h.node.Prepare)
		h.node.Prepare = nil
	}
}
