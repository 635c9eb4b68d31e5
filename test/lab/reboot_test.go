package lab_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/lab/machine"
	labreal "ironworks/lab/real"
	"ironworks/test/ironic"
)

const (
	// agentStops is the error of a step that the agent must run while the machine boots.
	// CustomAgentDeploy.execute_deploy_step (ironic/drivers/modules/agent.py) does not raise AgentConnectionFailed,
	// which would make the conductor wait.
	agentStops = `Deploy step deploy\.install_coreos failed: .* Agent is not running`
	// notReported is the error of steps that Ironic validates before the agent has booted and reported its steps.
	notReported = `Failed to validate the final deploy steps list .*node does not support this deploy step: .*install_coreos`
	// sameFile is the error of the old release when it publishes the deploy ISO a second time, because a hard link to
	// the file in its cache already exists (publish_image in ironic/drivers/modules/image_utils.py).
	sameFile = `SameFileError|are the same file`
	// ignored marks a deployment that waits forever. The old release keeps deployment_polling set, so that heartbeats
	// continue no step (_heartbeat_deploy_wait in ironic/drivers/modules/agent_base.py).
	ignored = "ignored"
)

// rebootCase is a deployment or a manual cleaning with a step that restarts the machine.
type rebootCase struct {
	name string
	raid *machine.RAIDController
	// step is the label of the step, without its priority.
	step     string
	priority int
	// info is the instance_info of a deployment with the direct deploy interface. If it is nil, the agent installs
	// CoreOS.
	info map[string]any
	// clean is the step of a manual cleaning. If it is empty, the case is a deployment.
	clean string
	// fails and oldFails match the errors of the newest and the old release. They are empty if the operation
	// succeeds.
	fails, oldFails string
	// newest marks steps that the old release lacks; quick marks cases that run even without make test-long.
	newest, quick bool
}

// TestStepsThatRestartMachines runs deployments and manual cleanings with a step that restarts the machine. Ironic
// continues as soon as the BMC has finished, before the agent has booted again; models/plan warns about this
// (restart-step).
func TestStepsThatRestartMachines(t *testing.T) {
	t.Parallel()
	settings := func() map[string]map[string]string {
		all := map[string]map[string]string{
			"DEFAULT":   {"enabled_bios_interfaces": "fake,no-bios,redfish"},
			"conductor": {"deploy_callback_timeout": "60"},
			"agent":     {"require_tls": "true"},
			"redfish":   {"raid_config_status_interval": "1", "raid_config_fail_interval": "1"},
		}
		labreal.HardwareRAID(all)
		return all
	}
	for _, release := range ironic.Releases(t) {
		if release == ironic.Old && !ironic.Long() {
			continue
		}
		t.Run(release.Name(), func(t *testing.T) {
			t.Parallel()
			all := settings()
			if release == ironic.Newest {
				all["DEFAULT"]["enabled_firmware_interfaces"] = "no-firmware,redfish"
				maps.Copy(all["redfish"], map[string]string{"firmware_update_status_interval": "1", "firmware_update_reboot_delay": "5", "firmware_update_validation_interval": "0"})
			}
			runRebootCases(t, ironic.Long(), real(t, release, all))
		})
	}
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		runRebootCases(t, true, embeddedWith(t, lab.IronicOptions{Speed: 1800 / 60.0, RAID: true, Firmware: true}))
	})
}

func rebootCases(t *testing.T) []rebootCase {
	t.Helper()
	reset := &machine.RAIDController{OnReset: true}
	raid := fmt.Sprintf(`"interface": "raid", "step": "apply_configuration", "args": {"raid_config": %s}`, twoVolumes)
	firmware := fmt.Sprintf(`"interface": "firmware", "step": "update", "args": {"settings": [{"component": "bios", "url": "%s/BIOS.bin"}]}`, firmwareServer(t))
	bios := `"interface": "bios", "step": "apply_configuration", "args": {"settings": [{"name": "ProcTurboMode", "value": "Disabled"}]}`
	content := diskImage()
	server := imageServer(t, content)
	image := map[string]any{"image_source": server + "/disk.raw", "image_os_hash_algo": "sha256", "image_os_hash_value": fmt.Sprintf("%x", sha256.Sum256(content)), "image_disk_format": "raw", "root_gb": 10}
	create := `"interface": "raid", "step": "create_configuration"`
	now := &machine.RAIDController{}
	return []rebootCase{
		{name: "raid", raid: reset, step: raid, priority: 90, fails: agentStops, oldFails: sameFile, quick: true},
		{name: "raid-first", raid: reset, step: raid, priority: 120, fails: notReported, oldFails: sameFile},
		{name: "raid-now", raid: now, step: raid, priority: 90, oldFails: ignored},
		{name: "raid-direct", raid: reset, step: raid, priority: 90, info: image, oldFails: sameFile, quick: true},
		{name: "raid-cleaned", raid: reset, clean: create, oldFails: sameFile},
		{name: "firmware", step: firmware, priority: 90, fails: agentStops, newest: true, quick: true},
		{name: "firmware-first", step: firmware, priority: 120, fails: notReported, newest: true},
		{name: "firmware-direct", step: firmware, priority: 90, info: image, fails: "Timeout reached while waiting for callback", newest: true},
		{name: "bios", step: bios, priority: 90, fails: agentStops, oldFails: sameFile},
		{name: "bios-first", step: bios, priority: 120, fails: notReported, oldFails: sameFile, quick: true},
		{name: "bios-direct", step: bios, priority: 90, info: image, oldFails: sameFile},
		{name: "bios-cleaned", clean: bios, oldFails: sameFile},
	}
}

func runRebootCases(t *testing.T, whole bool, s subject) {
	t.Helper()
	var all []testCase
	for _, c := range rebootCases(t) {
		if c.newest && s.old || !c.quick && !whole {
			continue
		}
		member := lab.Member{Name: "restart-" + c.name, RAID: c.raid, Scenario: lab.Scenario{Name: c.name, Slower: 2}}
		if c.raid != nil {
			member.Disks = raidDrives(5)
		}
		all = append(all, testCase{member: member, run: func(n node) error { return n.runReboot(c) }})
	}
	runCases(t, s, all)
}

// runReboot deploys or cleans a machine with the step of a case.
func (n node) runReboot(c rebootCase) error {
	if c.raid != nil {
		if err := n.patch("raid_interface", "redfish"); err != nil {
			return err
		}
	}
	if err := n.runSteps(managed); err != nil {
		return err
	}
	if c.clean != "" {
		var err error
		if c.raid != nil {
			_, err = n.call(http.MethodPut, "/v1/nodes/"+n.uuid+"/states/raid", json.RawMessage(twoVolumes), http.StatusNoContent)
		}
		return errors.Join(err, n.endsAs(c, clean(json.RawMessage("{"+c.clean+"}")), "manageable"))
	}
	body := maps.Clone(installCoreOS)
	list := []any{json.RawMessage(fmt.Sprintf(`{%s, "priority": %d}`, c.step, c.priority))}
	if c.info == nil {
		list = append(list, body["deploy_steps"].([]any)...) //nolint:forcetypeassert // see installCoreOS
	} else {
		delete(body, "configdrive") // Ironic would need genisoimage to build it
		if err := errors.Join(n.patch("deploy_interface", "direct"), n.patch("instance_info", c.info)); err != nil {
			return err
		}
	}
	body["deploy_steps"] = list
	if err := n.runSteps(provided); err != nil {
		return err
	}
	return n.endsAs(c, body, "active")
}

// endsAs sends a provision request. The operation must end in the given state, or fail as the case expects for the
// release.
func (n node) endsAs(c rebootCase, body map[string]any, state string) error {
	want := c.fails
	if n.subject.old {
		want = c.oldFails
	}
	if want == ignored {
		return n.waitIgnored(body)
	}
	seen, err := n.provision(body, append(slices.Clone(ends), state)...)
	if err != nil {
		return err
	}
	reasons, err := n.reasons()
	if succeeded := seen["provision_state"] == state; err != nil || succeeded != (want == "") || !regexp.MustCompile(want).MatchString(reasons) {
		return errors.Join(fmt.Errorf("machine %s: ended %v: %q, want %q", n.Name(), seen["provision_state"], reasons, want), err)
	}
	return nil
}

// waitIgnored starts a deployment, and waits until the agent has installed the system and has called twice without an
// effect.
func (n node) waitIgnored(body map[string]any) error {
	if _, err := n.call(http.MethodPut, "/v1/nodes/"+n.uuid+"/states/provision", body, http.StatusAccepted); err != nil {
		return err
	}
	calls := map[any]bool{}
	ctx, cancel := context.WithTimeout(n.ctx, patience)
	defer cancel()
	return ironic.Poll(ctx, time.Second, func(ctx context.Context) (bool, error) {
		seen, err := n.get(ctx, "provision_state", "driver_internal_info")
		if err != nil || slices.Contains(ends, fmt.Sprint(seen["provision_state"])) || seen["provision_state"] == "active" {
			return false, errors.Join(err, fmt.Errorf("machine %s: ended %v", n.Name(), seen["provision_state"]))
		}
		internal, _ := seen["driver_internal_info"].(map[string]any)
		if slices.ContainsFunc(n.Disks(), func(d machine.Disk) bool { return d.Installed != nil }) && internal["deployment_polling"] == true {
			calls[internal["agent_last_heartbeat"]] = true
		}
		return len(calls) == 3, nil
	})
}
