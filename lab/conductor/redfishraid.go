package conductor

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"ironworks/lab/conductor/redfish"
	"ironworks/lab/conductor/requests"
	"ironworks/lab/db"
	"ironworks/models/raid"
	"ironworks/python"
)

// This file implements the redfish RAID interface (ironic/drivers/modules/redfish/raid.py).

// hardwareRAIDSteps returns the steps. Ironic accepts delete_existing but ignores it.
func hardwareRAIDSteps() []step {
	optional := func(args db.Dict) db.Dict {
		for _, name := range []string{"create_root_volume", "create_nonroot_volumes", "delete_existing"} {
			args[name] = map[string]any{"required": false}
		}
		return args
	}
	apply := optional(required("raid_config", "The RAID configuration to apply."))
	return []step{
		{name: "apply_configuration", deploy: &offer{args: apply}, service: &offer{ramdisk: true, args: apply}, do: applyHardwareRAID},
		{name: "create_configuration", clean: &offer{ramdisk: true, args: optional(db.Dict{})}, do: func(ctx context.Context, t *task, args db.Dict) (string, error) {
			return t.createHardwareRAID(ctx, flag(args, "create_root_volume", true), flag(args, "create_nonroot_volumes", true))
		}},
		{name: "delete_configuration", deploy: &offer{}, clean: &offer{ramdisk: true}, service: &offer{ramdisk: true}, do: deleteHardwareRAID},
	}
}

// flag returns the named argument of a step as Python's bool(), or byDefault if it is missing.
func flag(args db.Dict, name string, byDefault bool) bool {
	if value, given := args[name]; given {
		return python.Truthy(value)
	}
	return byDefault
}

// applyHardwareRAID stores the RAID configuration and creates its volumes, by default only the root volume.
func applyHardwareRAID(ctx context.Context, t *task, args db.Dict) (string, error) {
	config, ok := dictOf(args["raid_config"])
	if !ok {
		return "", invalid("RAID config validation error: %s is not of type 'object'", python.Repr(args["raid_config"]))
	}
	if err := checkRAID("redfish", config); err != nil {
		return "", err
	}
	t.node.TargetRAIDConfig = config.Clone()
	t.save()
	return t.createHardwareRAID(ctx, flag(args, "create_root_volume", true), flag(args, "create_nonroot_volumes", false))
}

// createHardwareRAID implements create_configuration.
func (t *task) createHardwareRAID(ctx context.Context, root, others bool) (string, error) {
	if _, has := t.node.TargetRAIDConfig["logical_disks"]; !has {
		return "", raidFault(&raid.Error{Class: raid.KeyError, Reason: "'logical_disks'"})
	}
	disks, err := raid.Decode(map[string]any(t.node.TargetRAIDConfig))
	if err != nil {
		return "", fmt.Errorf("reading the target RAID configuration: %w", err)
	}
	drives, err := t.raidDrives(ctx)
	if err != nil {
		return "", err
	}
	volumes, err := raid.Assign(disks, drives, t.node.UUID)
	if err != nil {
		return "", raidFault(err)
	}
	reboots, err := t.createVolumes(ctx, pendingOf(raid.ToCreate(volumes, root, others)))
	if err != nil {
		return "", err
	}
	return t.afterRAID(ctx, reboots)
}

// afterRAID restarts the machine if the BMC applies the change only at a restart. Otherwise it records the volumes.
func (t *task) afterRAID(ctx context.Context, reboots bool) (string, error) {
	t.setStepFlags(stepFlagSet{reboot: reboots, skipCurrent: new(true), polling: new(true)})
	if !reboots {
		return "", t.recordVolumes(ctx)
	}
	return t.rebootToFinishStep(ctx)
}

// raidStorages reads the node's system and the storages of that system.
func (t *task) raidStorages(ctx context.Context) (*redfish.System, []redfish.Storage, error) {
	system, err := t.systemOf(ctx)
	if err != nil {
		return nil, nil, err
	}
	storages, err := system.Storages(ctx)
	if err != nil {
		return nil, nil, redfishFailure(err, "%s")
	}
	return system, storages, nil
}

// raidDrives implements get_physical_disks.
func (t *task) raidDrives(ctx context.Context) ([]raid.Drive, error) {
	_, storages, err := t.raidStorages(ctx)
	if err != nil {
		return nil, err
	}
	var drives []raid.Drive
	for i := range storages {
		s := &storages[i]
		for _, d := range s.AllDrives {
			drives = append(drives, raid.Drive{
				ID: d.ID, Controller: s.ID,
				CapacityBytes: valueOf(d.CapacityBytes), MediaType: valueOf(d.MediaType), Protocol: valueOf(d.Protocol),
			})
		}
	}
	return drives, nil
}

func valueOf[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// pendingOf converts volumes to the form that Ironic stores in driver_internal_info until the volumes are created.
func pendingOf(volumes []raid.Volume) []db.Dict {
	var all []db.Dict
	for i := range volumes {
		v := &volumes[i]
		one := db.Dict{"raid_level": v.RAIDLevel, "size_bytes": v.Bytes, "physical_disks": anyOf(v.Drives), "controller": v.Controller, "span_depth": nil, "span_length": nil}
		if v.Max {
			one["size_bytes"] = "MAX"
		}
		if v.VolumeName != "" {
			one["volume_name"] = v.VolumeName
		}
		if v.SpanDepth > 0 {
			one["span_depth"], one["span_length"] = v.SpanDepth, float64(v.SpanLength)
		}
		all = append(all, one)
	}
	return all
}

func anyOf(texts []string) []any {
	all := make([]any, len(texts))
	for i := range texts {
		all[i] = texts[i]
	}
	return all
}

// createVolumes implements _submit_create_configuration. The volumes must be sorted by controller. If the BMC creates
// a volume only at a restart, the other volumes of the same controller remain pending, and reboots is true.
func (t *task) createVolumes(ctx context.Context, volumes []db.Dict) (reboots bool, err error) {
	pending, monitors := map[string]any{}, []any{}
	var waiting []string
	for _, v := range volumes {
		controller := v.Text("controller")
		if slices.Contains(waiting, controller) {
			later, _ := pending[controller].([]any)
			pending[controller] = append(later, map[string]any(v))
			continue
		}
		monitor, err := t.createVolume(ctx, v)
		if err != nil {
			return false, err
		}
		if monitor != "" {
			monitors, waiting = append(monitors, monitor), append(waiting, controller)
		}
	}
	return t.keepMonitors(monitors, map[string]any{"operation": "create", "pending": pending}), nil
}

// keepMonitors reports whether the BMC has returned task monitors, which means that it completes the operation only
// at a restart. If so, keepMonitors adds them to configs and stores configs in the node.
func (t *task) keepMonitors(monitors []any, configs map[string]any) (reboots bool) {
	if len(monitors) == 0 {
		return false
	}
	configs["task_monitor_uri"] = monitors
	t.setInternal(raidConfigs, configs)
	t.save()
	return true
}

// deleteHardwareRAID implements delete_configuration.
func deleteHardwareRAID(ctx context.Context, t *task, _ db.Dict) (string, error) {
	reboots, err := t.deleteVolumes(ctx)
	if err != nil {
		return "", err
	}
	return t.afterRAID(ctx, reboots)
}

// raidConfigs is the field of driver_internal_info that stores pending volume changes.
const raidConfigs = "raid_configs"

// checkRAIDTasks implements _query_raid_config_status. It resumes the step once no change is pending.
func (t *task) checkRAIDTasks(ctx context.Context) error {
	stored, _ := dictOf(t.internal(raidConfigs))
	configs := maps.Clone(stored)
	given, _ := configs["task_monitor_uri"].([]any)
	monitors := []any{}
	for _, monitor := range given {
		if path, _ := monitor.(string); t.runs(ctx, path) {
			monitors = append(monitors, monitor)
		}
	}
	configs["task_monitor_uri"] = monitors
	t.setInternal(raidConfigs, map[string]any(configs))
	if len(monitors) > 0 {
		return nil
	}
	var reboots bool
	var err error
	pending, _ := dictOf(configs["pending"])
	switch {
	case len(pending) > 0:
		var volumes []db.Dict
		for _, controller := range slices.Sorted(maps.Keys(pending)) {
			volumes = append(volumes, dictsOf(pending[controller])...)
		}
		reboots, err = t.createVolumes(ctx, volumes)
	case configs["pending"] == true:
		reboots, err = t.deleteVolumes(ctx)
	default:
		if err := t.endRAID(ctx); err != nil {
			return err
		}
		return t.resumeStep(ctx)
	}
	if err == nil && reboots {
		_, err = t.rebootToFinishStep(ctx)
	}
	return err
}

// endRAID removes the pending volume changes and records the volumes.
func (t *task) endRAID(ctx context.Context) error {
	t.dropInternal(raidConfigs)
	t.save()
	return t.recordVolumes(ctx)
}

// runs reports whether a task of the BMC is still running. A task that cannot be read counts as completed.
func (t *task) runs(ctx context.Context, monitor string) bool {
	running := false
	err := t.connect(ctx, func(m *redfish.BMC, _ string) error {
		got, err := m.Do(ctx, http.MethodGet, monitor, nil)
		running = got.Status == http.StatusAccepted
		return err
	})
	return err == nil && running
}

// dropFailedRAID implements _query_raid_config_failed.
func (t *task) dropFailedRAID(ctx context.Context) error {
	if !t.node.Maintenance {
		return nil
	}
	if err := t.upgrade(ctx, locking{noRetry: true}); err != nil {
		return err
	}
	return t.endRAID(ctx)
}

// createVolume implements create_virtual_disk. It returns the task monitor if that happens only at a restart.
func (t *task) createVolume(ctx context.Context, v db.Dict) (monitor string, err error) {
	system, storages, err := t.raidStorages(ctx)
	if err != nil {
		return "", err
	}
	wanted, _ := v["physical_disks"].([]any)
	at := slices.IndexFunc(storages, func(s redfish.Storage) bool {
		return slices.ContainsFunc(s.AllDrives, func(d redfish.Drive) bool { return slices.Contains(wanted, any(d.ID)) })
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
