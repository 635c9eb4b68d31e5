package conductor

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ironworks/lab/db"
	"ironworks/lab/python"
)

// raidFields are the fields of a logical disk, with their checks
// (ironic/drivers/raid_config_schema.json).
var raidFields = map[string]func(value any) string{
	"raid_level":               raidOneOf("JBOD", "0", "1", "2", "5", "6", "1+0", "5+0", "6+0"),
	"size_gb":                  raidSize,
	"volume_name":              raidText,
	"is_root_volume":           raidBool,
	"share_physical_disks":     raidBool,
	"disk_type":                raidOneOf("hdd", "ssd"),
	"interface_type":           raidOneOf("sata", "scsi", "sas"),
	"number_of_physical_disks": raidCount,
	"controller":               raidText,
	"physical_disks":           raidDisks,
}

// checkRAID returns jsonschema's message about a RAID configuration.
func checkRAID(target db.Dict) error {
	problem, roots := raidProblem(target)
	if problem != "" {
		return db.Faultf(400, "InvalidParameterValue", "RAID config validation error: %s", problem)
	}
	if roots > 1 {
		return db.Faultf(400, "InvalidParameterValue", "Raid config cannot have more than one root volume. %d root volumes were specified", roots)
	}
	return nil
}

func raidProblem(target db.Dict) (problem string, roots int) {
	value, found := target["logical_disks"]
	disks, isList := value.([]any)
	extra := slices.DeleteFunc(slices.Sorted(maps.Keys(target)), func(key string) bool { return key == "logical_disks" })
	switch {
	case !found:
		return "'logical_disks' is a required property", 0
	case len(extra) > 0:
		return unexpected(extra), 0
	case !isList:
		return notOfType(value, "array"), 0
	case len(disks) == 0:
		return "[] should be non-empty", 0
	}
	for _, value := range disks {
		disk, isObject := asDict(value)
		if !isObject {
			return notOfType(value, "object"), 0
		}
		if problem := raidDiskProblem(disk); problem != "" {
			return problem, 0
		}
		if disk["is_root_volume"] == true {
			roots++
		}
	}
	return "", roots
}

func raidDiskProblem(disk db.Dict) string {
	var extra []string
	for _, key := range slices.Sorted(maps.Keys(disk)) {
		check, known := raidFields[key]
		if !known {
			extra = append(extra, key)
			continue
		}
		if problem := check(disk[key]); problem != "" {
			return problem
		}
	}
	if len(extra) > 0 {
		return unexpected(extra)
	}
	for _, key := range []string{"raid_level", "size_gb"} {
		if _, found := disk[key]; !found {
			return python.Repr(key) + " is a required property"
		}
	}
	if _, found := disk["physical_disks"]; found && disk["controller"] == nil {
		return "'controller' is a dependency of 'physical_disks'"
	}
	return ""
}

func unexpected(keys []string) string {
	quoted := make([]string, len(keys))
	for i, key := range keys {
		quoted[i] = python.Repr(key)
	}
	verb := "was"
	if len(keys) > 1 {
		verb = "were"
	}
	return fmt.Sprintf("Additional properties are not allowed (%s %s unexpected)", strings.Join(quoted, ", "), verb)
}

func notOfType(value any, kind string) string {
	return python.Repr(value) + " is not of type " + python.Repr(kind)
}

func raidText(value any) string {
	if _, ok := value.(string); !ok {
		return notOfType(value, "string")
	}
	return ""
}

func raidBool(value any) string {
	if _, ok := value.(bool); !ok {
		return notOfType(value, "boolean")
	}
	return ""
}

func raidOneOf(words ...string) func(any) string {
	return func(value any) string {
		if problem := raidText(value); problem != "" {
			return problem
		}
		if !slices.Contains(words, value.(string)) { //nolint:forcetypeassert // checked by raidText
			return python.Repr(value) + " is not one of " + python.Repr(words)
		}
		return ""
	}
}

func raidSize(value any) string {
	if value == "MAX" || isWhole(value) && toInt(value) >= 0 {
		return ""
	}
	return python.Repr(value) + " is not valid under any of the given schemas"
}

func raidCount(value any) string {
	switch {
	case !isWhole(value):
		return notOfType(value, "integer")
	case toInt(value) <= 0:
		return python.Repr(value) + " is less than or equal to the minimum of 0"
	}
	return ""
}

func raidDisks(value any) string {
	disks, ok := value.([]any)
	texts := slices.IndexFunc(disks, func(v any) bool { return raidText(v) != "" }) < 0
	objects := slices.IndexFunc(disks, func(v any) bool { _, is := asDict(v); return !is }) < 0
	if ok && (texts || objects && len(disks) >= 2) {
		return ""
	}
	return python.Repr(value) + " is not valid under any of the given schemas"
}

func isWhole(value any) bool {
	switch v := value.(type) {
	case json.Number:
		_, err := v.Int64()
		return err == nil
	case int, int64:
		return true
	case float64:
		return v == float64(int64(v))
	}
	return false
}

func asDict(value any) (db.Dict, bool) {
	switch v := value.(type) {
	case db.Dict:
		return v, true
	case map[string]any:
		return v, true
	}
	return nil, false
}

// recordRAID implements the hooks after the agent's RAID steps (AgentRAID in ironic/drivers/modules/agent.py, and
// update_raid_info in ironic/common/raid.py).
func (t *task) recordRAID(command, step db.Dict, kind stepKind) error {
	if step.Text("interface") != "raid" {
		return nil
	}
	switch name := step.Text("step"); {
	case kind == cleanSteps && name == "create_configuration", kind == deploySteps && name == "apply_configuration":
		result, _ := dictOf(command["command_result"])
		config, _ := dictOf(result[string(kind)+"_result"])
		if len(config) == 0 {
			return fmt.Errorf("_create_configuration_final failed for %s step %s.IronicException: Agent ramdisk didn't return a proper command result while "+
				"building RAID on %s. It returned '%s' after command execution", kind, python.Repr(step), t.node.UUID, python.Repr(command))
		}
		t.node.RAIDConfig = maps.Clone(config)
		t.node.RAIDConfig["last_updated"] = t.c.now().Format("2006-01-02 15:04:05.000000")
		t.rootVolume(config)
	case kind == cleanSteps && name == "delete_configuration":
		t.node.RAIDConfig = db.Dict{}
		t.node.Properties = maps.Clone(t.node.Properties)
		delete(t.node.Properties, "root_device")
	default:
		return nil
	}
	return t.save()
}

// rootVolume writes the root volume into the properties.
func (t *task) rootVolume(config db.Dict) {
	disks, _ := config["logical_disks"].([]any)
	for _, value := range disks {
		disk, _ := asDict(value)
		if !python.Truthy(disk["is_root_volume"]) {
			continue
		}
		properties := maps.Clone(t.node.Properties)
		if properties == nil {
			properties = db.Dict{}
		}
		if disk["size_gb"] != "MAX" {
			properties["local_gb"] = disk["size_gb"]
		}
		if hint, has := disk["root_device_hint"]; has {
			properties["root_device"] = hint
		}
		var capabilities []string
		for _, c := range strings.Split(properties.Text("capabilities"), ",") {
			if c != "" && !strings.HasPrefix(c, "raid_level:") {
				capabilities = append(capabilities, c)
			}
		}
		properties["capabilities"] = strings.Join(append(capabilities, "raid_level:"+disk.Text("raid_level")), ",")
		t.node.Properties = properties
		return
	}
}
