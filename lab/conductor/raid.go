package conductor

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"ironworks/lab/db"
	"ironworks/models/raid"
	"ironworks/python"
)

// checkRAID returns the error of the named RAID interface for a target configuration, if any.
func checkRAID(name string, target db.Dict) error {
	check := raid.Check
	if name == "redfish" {
		check = raid.CheckHardware
	}
	return raidFault(check(map[string]any(target)))
}

// raidFault converts a raid.Error to the corresponding Ironic exception. It returns other errors unchanged.
func raidFault(err error) error {
	var e *raid.Error
	switch {
	case !errors.As(err, &e):
		return err
	case e.Class == raid.InvalidParameterValue:
		return invalid("%s", e.Reason)
	case e.Class == raid.RedfishError:
		return failure(kindRedfish, "%s", e.Error())
	}
	return err
}

// recordRAID implements the hooks that run after the agent's RAID steps (AgentRAID in
// ironic/drivers/modules/agent.py, and update_raid_info in ironic/common/raid.py).
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
	t.save()
	return nil
}

// rootVolume copies the size, root device hint and RAID level of the root volume to the node's properties.
func (t *task) rootVolume(config db.Dict) {
	disks, _ := config["logical_disks"].([]any)
	for _, value := range disks {
		disk, _ := dictOf(value)
		if !python.Truthy(disk["is_root_volume"]) {
			continue
		}
		properties := maps.Clone(t.node.Properties)
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
