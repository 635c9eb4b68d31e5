package conductor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"ironworks/lab/conductor/redfish"
	"ironworks/lab/conductor/requests"
	"ironworks/lab/db"
	"ironworks/python"
)

// Fields of driver_internal_info that a firmware update uses.
const (
	firmwareUpdates  = "redfish_fw_updates" // the remaining updates, starting with the running one
	firmwareStart    = "redfish_fw_update_start_time"
	bmcVersionBefore = "bmc_fw_version_before_update"
	firmwareReboot   = "firmware_reboot_requested"
)

// Options in [redfish] with their defaults. All durations are divided by the conductor's speed.
const (
	firmwareRebootDelay   = 300 * time.Second  // firmware_update_reboot_delay
	firmwareVersionCheck  = 30 * time.Second   // firmware_update_bmc_version_check_interval
	firmwareNICWait       = 30 * time.Second   // firmware_update_nic_starting_wait
	firmwareOverall       = 7200 * time.Second // firmware_update_overall_timeout
	firmwareStable        = 3                  // firmware_update_required_successes
	firmwareStablePause   = 30 * time.Second   // firmware_update_validation_interval
	firmwareStableTimeout = 480 * time.Second  // firmware_update_resource_validation_timeout
)

// redfishFirmwareSteps returns the steps of ironic/drivers/modules/redfish/firmware.py.
func redfishFirmwareSteps() []step {
	args := required("settings", "A list of dicts with firmware components to be updated")
	return []step{{
		name: "update", do: updateFirmware,
		deploy: &offer{args: args}, clean: &offer{args: args, ramdisk: true}, service: &offer{args: args},
	}}
}

// updateFirmware starts the first update. The periodic task checkFirmwareUpdate does the rest.
func updateFirmware(ctx context.Context, t *task, args db.Dict) (string, error) {
	if err := checkFirmwareArgs(args["settings"]); err != nil {
		return "", err
	}
	settings := dictsOf(args["settings"])
	if err := t.startUpdate(ctx, settings); err != nil {
		return "", err
	}
	t.setInternal(firmwareStart, t.timestamp())
	t.save()
	return operations[t.currentKind()].wait, nil
}

func (t *task) setUpdates(settings []db.Dict) { t.setInternal(firmwareUpdates, listOf(settings)) }

func (t *task) saveUpdates(settings []db.Dict) {
	t.setUpdates(settings)
	t.save()
}

// since returns the time since the timestamp, multiplied by the conductor's speed, or 0 if that is invalid.
func (t *task) since(stamp any) time.Duration {
	text, _ := stamp.(string)
	at, err := time.Parse(stampFormat, text)
	if err != nil {
		return 0
	}
	return time.Duration(float64(t.c.now().Sub(at)) * t.c.options.Speed)
}

// startUpdate implements _execute_firmware_update: it sends the first update and prepares what that requires.
func (t *task) startUpdate(ctx context.Context, settings []db.Dict) error {
	update := settings[0]
	update["power_timeout"] = int(firmwareRebootDelay.Seconds())
	if err := t.sendUpdate(ctx, update); err != nil {
		return err
	}
	t.dropInternal(bmcVersionBefore, firmwareReboot)
	if componentType(update.Text("component")) == bmcComponent {
		t.watchBMC(ctx, update)
	}
	t.setUpdates(settings)
	t.setStepFlags(stepFlagSet{reboot: componentType(update.Text("component")) == biosComponent, polling: new(true)})
	return nil
}

// watchBMC implements _setup_bmc_update_monitoring.
func (t *task) watchBMC(ctx context.Context, update db.Dict) {
	if version, ok := t.bmcVersion(ctx); ok {
		t.setInternal(bmcVersionBefore, version)
	}
	if update["wait"] == nil {
		update["wait"] = int(firmwareRebootDelay.Seconds())
	}
	now := t.timestamp()
	update["wait_start_time"], update["bmc_check_start_time"], update["component_type"] = now, now, bmcComponent
}

func (t *task) bmcVersion(ctx context.Context) (version string, ok bool) {
	system, err := t.systemOf(ctx)
	if err != nil {
		return "", false
	}
	m, err := managerOf(ctx, system)
	return m.FirmwareVersion, err == nil && m.FirmwareVersion != ""
}

// sendUpdate implements _submit_simple_update. If the BMC has several systems, the request names the node's system.
func (t *task) sendUpdate(ctx context.Context, update db.Dict) error {
	target, err := t.updateService(ctx)
	if err != nil {
		return err
	}
	image := update.Text("url")
	if err := checkStaging(image); err != nil {
		return err
	}
	return t.connect(ctx, func(m *redfish.BMC, _ string) error {
		systems, err := m.Systems(ctx)
		if err != nil {
			return err
		}
		body := map[string]any{"ImageURI": image, "TransferProtocol": "HTTP"}
		if len(systems) > 1 {
			body["Targets"] = []any{t.node.DriverInfo["redfish_system_id"]}
		}
		if target == "" {
			return redfishFault("Required argument(s) MissingAttributeError")
		}
		got, err := m.Do(ctx, http.MethodPost, target, body)
		if err != nil {
			return err
		}
		monitor, err := taskMonitor(target, got)
		update["task_monitor"] = monitor
		return err
	})
}

// updateService returns the URL of the SimpleUpdate action, or "" if the BMC does not provide this action.
func (t *task) updateService(ctx context.Context) (target string, err error) {
	err = t.connect(ctx, func(m *redfish.BMC, _ string) error {
		var root struct{ UpdateService *redfish.Link }
		if err := m.ReadRoot(ctx, &root); err != nil {
			return err
		}
		if root.UpdateService == nil {
			return redfishFault("The attribute UpdateService/@odata.id is missing from the resource %s/", m.Root())
		}
		var service struct {
			Actions struct {
				Update redfish.Action `json:"#UpdateService.SimpleUpdate"`
			}
		}
		if err := m.Get(ctx, root.UpdateService.ID, &service); err != nil {
			return err
		}
		target = service.Actions.Update.Target
		return nil
	})
	return target, err
}

// taskMonitor returns the URL of the BMC's task from the body or the header (TaskMonitor.from_response in sushy).
func taskMonitor(target string, got requests.Response) (string, error) {
	var body redfish.Link
	_ = json.Unmarshal(got.Body, &body)
	monitor := cmp.Or(body.ID, got.Header.Get("Location"))
	if monitor == "" {
		return "", &redfish.Error{Class: "MissingHeaderError", Text: fmt.Sprintf("Header Location is missing from the response of %s", target)}
	}
	return monitor, nil
}

// checkStaging implements _stage_firmware_file for images that BMCs fetch themselves ([redfish]firmware_source = http).
func checkStaging(image string) error {
	scheme := ""
	if parsed, err := url.Parse(image); err == nil {
		scheme = strings.ToLower(parsed.Scheme)
	}
	if scheme == "http" || scheme == "https" {
		return nil
	}
	return invalid("%s is not supported for %s.", scheme, image)
}

// redfishTask holds the fields of a Redfish Task that the conductor uses.
type redfishTask struct {
	TaskState, TaskStatus string
	Messages              []struct {
		ID   string `json:"MessageId"`
		Text string `json:"Message"`
	}
}

// messages returns the task's messages, joined by commas. A message without a useful text is represented by its ID.
func (r redfishTask) messages() string {
	var all []string
	for _, m := range r.Messages {
		text := m.Text
		if text == "" || slices.Contains([]string{"unknown", "unknown error"}, strings.ToLower(text)) {
			text = m.ID
		}
		if text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, ",  ")
}

// updateTask reads the BMC's task for the given update. If the BMC has deleted the task, the error is NotFound.
func (t *task) updateTask(ctx context.Context, update db.Dict) (found redfishTask, err error) {
	err = t.connect(ctx, func(m *redfish.BMC, _ string) error { return m.Get(ctx, update.Text("task_monitor"), &found) })
	return found, err
}

// clearUpdates implements _clear_updates.
func (t *task) clearUpdates() {
	t.dropInternal(firmwareUpdates, firmwareStart, "firmware_cleanup", bmcVersionBefore, firmwareReboot)
	t.save()
}

// failUpdate discards the node's remaining firmware updates and fails its current step. There is none if the updates
// are left over from an earlier operation.
func (t *task) failUpdate(ctx context.Context, message string) {
	t.clearUpdates()
	if kind := t.currentKind(); len(*kind.step(t.node)) > 0 {
		t.failSteps(ctx, kind, message, failing{})
	}
}

// rebootForUpdate reboots the machine. It uses the power timeout that the update contains.
func (t *task) rebootForUpdate(ctx context.Context, update db.Dict) error {
	return t.setPowerWithin(ctx, reboot, time.Duration(toInt(update["power_timeout"]))*time.Second)
}

// dropFailedUpdates implements _query_update_failed. Updates must not continue when the maintenance ends.
func (t *task) dropFailedUpdates(ctx context.Context) error {
	if !t.node.Maintenance {
		return nil
	}
	if err := t.upgrade(ctx, locking{}); err != nil {
		return err
	}
	t.clearUpdates()
	return nil
}

// flagged reports whether the named flag of the update is set.
func flagged(update db.Dict, name string) bool { return python.Truthy(update[name]) }
