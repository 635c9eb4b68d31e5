package conductor

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"ironworks/lab/conductor/redfish"
	"ironworks/lab/conductor/requests"
	"ironworks/lab/db"
	"ironworks/models/raid"
)

// createVolume implements create_virtual_disk. It returns the task monitor if that happens only at a restart.
func (t *task) createVolume(ctx context.Context, v db.Dict) (monitor string, err error) {
	system, storages, err := t.raidStorages(ctx)
	if err != nil {
		return "", err
	}
	wanted, _ := v["physical_disks"].([]any)
	at := slices.IndexFunc(storages, func(s redfish.Storage) bool {
		return s.HasRAID() && slices.ContainsFunc(s.AllDrives, func(d redfish.Drive) bool { return slices.Contains(wanted, any(d.ID)) })
	})
	if at < 0 {
		return "", redfishFault("No storage controller found for node %s", t.node.UUID)
	}
	s := storages[at]
	body := map[string]any{"RAIDType": raid.RedfishType(v.Text("raid_level"))}
	if v["size_bytes"] != "MAX" {
		body["CapacityBytes"] = v["size_bytes"]
	}
	links := []any{}
	for _, id := range wanted {
		path := any(nil)
		if i := slices.IndexFunc(s.AllDrives, func(d redfish.Drive) bool { return d.ID == id }); i >= 0 {
			path = s.Drives[i].ID
		}
		links = append(links, map[string]any{"@odata.id": path})
	}
	if len(links) > 0 {
		body["Links"] = map[string]any{"Drives": links}
	}
	if name := v.Text("volume_name"); name != "" {
		body["Name"] = name
	}
	if s.Volumes == nil {
		return "", redfishFault("The attribute Volumes/@odata.id is missing from the resource %s", s.ID)
	}
	var volumes redfish.VolumeCollection
	if err := system.BMC.Get(ctx, s.Volumes.ID, &volumes); err != nil {
		return "", redfishFailure(err, "%s")
	}
	volumes.AddApplyTime(body)
	got, err := system.BMC.Do(ctx, http.MethodPost, s.Volumes.ID, body)
	if err != nil {
		return "", redfishFailure(err, "%s")
	}
	return monitorOf(got), nil
}

// monitorOf returns the address of the task monitor in a BMC's response, or "" if the BMC has not started a task.
func monitorOf(got requests.Response) string {
	at, err := url.Parse(got.Header.Get("Location"))
	if got.Status != http.StatusAccepted || err != nil {
		return ""
	}
	return at.RequestURI()
}

// deleteVolumes implements _submit_delete_configuration. If the BMC deletes volumes only at a restart, all except the
// first volume of each controller remain pending.
func (t *task) deleteVolumes(ctx context.Context) (reboots bool, err error) {
	system, storages, err := t.raidStorages(ctx)
	if err != nil {
		return false, err
	}
	left, monitors := false, []any{}
	for i := range storages {
		if storages[i].Volumes == nil {
			continue
		}
		volumes, all, err := system.Volumes(ctx, storages[i].Volumes.ID)
		if err != nil {
			return false, redfishFailure(err, "%s")
		}
		for j, v := range all {
			if v.RAIDType == "" {
				continue
			}
			body := map[string]any{}
			volumes.AddApplyTime(body)
			got, err := system.BMC.Do(ctx, http.MethodDelete, volumes.Members[j].ID, body)
			if err != nil {
				return false, err
			}
			if monitor := monitorOf(got); monitor != "" {
				monitors = append(monitors, monitor)
			}
			if body["@Redfish.OperationApplyTime"] == "OnReset" {
				left = left || j+1 < len(all)
				break
			}
		}
	}
	return t.keepMonitors(monitors, map[string]any{"operation": "delete", "pending": left}), nil
}

// recordVolumes reads the volumes from the BMC and stores them in the node's raid_config (update_raid_config).
func (t *task) recordVolumes(ctx context.Context) error {
	system, storages, err := t.raidStorages(ctx)
	if err != nil {
		return err
	}
	disks := []any{}
	for i := range storages {
		if storages[i].Volumes == nil {
			continue
		}
		_, volumes, err := system.Volumes(ctx, storages[i].Volumes.ID)
		if err != nil {
			return err
		}
		for _, v := range volumes {
			if level := raid.LevelOf(v.RAIDType); level != "" {
				disks = append(disks, map[string]any{"id": v.ID, "name": orNone(v.Name), "controller": storages[i].ID, "size_gb": int(v.CapacityBytes >> 30), "raid_level": level})
			}
		}
	}
	t.node.RAIDConfig = db.Dict{"logical_disks": disks, "last_updated": t.c.now().Format("2006-01-02 15:04:05.000000")}
	t.save()
	return nil
}
