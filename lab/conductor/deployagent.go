package conductor

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"strings"
	"time"

	"ironworks/lab/db"
	"ironworks/python"
)

// agentDeploy implements custom-agent, direct, bootc and ramdisk. ramdisk needs the agent only to clean and service.
type agentDeploy struct {
	kind string
}

// softPowerInterval is [agent]post_deploy_get_power_state_retry_interval.
const softPowerInterval = 5 * time.Second

// outOfBandSteps returns the interface's out-of-band steps.
func (d agentDeploy) outOfBandSteps() []step {
	at := func(priority int) *offer { return &offer{priority: priority, abortable: true} }
	if d.kind == "ramdisk" {
		return []step{{name: "deploy", deploy: at(100), do: deployRamdisk}}
	}
	steps := []step{
		{name: "boot_instance", deploy: at(20), do: bootInstance},
		{name: "deploy", deploy: at(100), do: bootAgent},
		{name: "prepare_instance_boot", deploy: at(60), do: d.prepareInstanceBoot},
		{name: "switch_to_tenant_network", deploy: at(30), do: noEffect},
		{name: "tear_down_agent", deploy: at(40), do: tearDownAgent},
	}
	switch d.kind {
	case "direct":
		steps = append(steps, step{name: "write_image", deploy: at(80), do: writeImage})
	case "bootc":
		steps = append(steps, step{name: "execute_bootc_install", deploy: at(80), do: installBootc}, step{name: "set_boot_to_disk", deploy: at(60), do: setBootToDisk})
	}
	return steps
}

func (d agentDeploy) steps(t *task, kind stepKind) []db.Dict {
	switch kind {
	case cleanSteps:
		return t.inBandSteps(kind, "deploy")
	case serviceSteps:
		return t.inBandSteps(kind, "")
	case deploySteps:
	}
	steps := describe("deploy", d.outOfBandSteps(), kind)
	if d.kind == "ramdisk" {
		return steps
	}
	for _, step := range t.inBandSteps(kind, "deploy") {
		if findStep(steps, step) == nil {
			steps = append(steps, step)
		}
	}
	return steps
}

func (d agentDeploy) execute(ctx context.Context, t *task, kind stepKind, asked db.Dict) (string, error) {
	if kind != deploySteps {
		return t.executeInBand(ctx, kind, asked)
	}
	for _, s := range d.outOfBandSteps() {
		if s.name == asked.Text("step") {
			args, _ := dictOf(asked["args"])
			return s.do(ctx, t, args)
		}
	}
	if !python.Truthy(t.internal("agent_cached_deploy_steps")) {
		return "", failure(kindDeployFailure, "Deploy step %s has not been found. Available out-of-band steps: %s. Agent is not running.",
			python.Repr(asked), python.Repr(describe("deploy", d.outOfBandSteps(), kind)))
	}
	return t.executeInBand(ctx, kind, asked)
}

func (d agentDeploy) validate(ctx context.Context, t *task) error {
	if d.kind == "ramdisk" {
		if _, fake := t.driver.boot.(fakeBoot); fake {
			return invalid("Invalid configuration: The boot interface must have the `ramdisk_boot` capability. You are using an incompatible boot interface.")
		}
	}
	if err := t.driver.boot.validate(ctx, t); err != nil {
		return err
	}
	if err := checkCapabilities(t.node); err != nil {
		return err
	}
	if d.kind == "ramdisk" {
		return nil
	}
	if err := checkRootDevice(t.node); err != nil {
		return err
	}
	switch d.kind {
	case "direct":
		return checkImage(t.node)
	case "bootc":
		if source := t.node.InstanceInfo.Text("image_source"); !strings.HasPrefix(source, schemeOCI+"://") {
			return invalid("Invalid image href %s.", nameOrNone(source))
		}
	}
	return nil
}

func (d agentDeploy) prepare(ctx context.Context, t *task) error {
	if d.kind == "ramdisk" {
		switch t.node.ProvisionState {
		case deploying:
			return t.setPower(ctx, powerOff)
		case active, unrescuing:
			return t.driver.boot.prepareInstance(ctx, t)
		default:
			return nil
		}
	}
	switch t.node.ProvisionState {
	case active, unrescuing, adopting:
		return t.driver.boot.prepareInstance(ctx, t)
	case deploying:
		if !t.powerStaysOn() {
			if err := t.setPower(ctx, powerOff); err != nil {
				return err
			}
		}
	default:
	}
	if d.kind == "direct" {
		if err := t.buildInstanceInfo(ctx); err != nil {
			return err
		}
	}
	return t.prepareAgentBoot(ctx)
}

// prepareAgentBoot implements prepare_agent_boot.
func (t *task) prepareAgentBoot(ctx context.Context) error {
	t.setInternal("agent_start_attempted", true)
	t.save()
	return t.driver.boot.prepareRamdisk(ctx, t)
}

func (agentDeploy) cleanUp(ctx context.Context, t *task) error {
	if err := t.driver.boot.cleanUpRamdisk(ctx, t); err != nil {
		return err
	}
	if err := t.driver.boot.cleanUpInstance(ctx, t); err != nil {
		return err
	}
	if t.powerStaysOn() {
		return t.setPower(ctx, reboot)
	}
	return nil
}

func (agentDeploy) tearDown(ctx context.Context, t *task) error {
	if t.powerStaysOn() {
		return nil
	}
	return t.setPower(ctx, powerOff)
}

// eraseParameters holds the agent's settings for erasing disks (agent_add_clean_params), with Ironic's defaults.
var eraseParameters = db.Dict{
	"agent_erase_devices_iterations": 1, "agent_erase_devices_zeroize": true, "agent_erase_skip_read_only": false,
	"agent_continue_if_secure_erase_failed": false, "agent_continue_if_ata_erase_failed": false,
	"agent_enable_nvme_secure_erase": true, "agent_enable_ata_secure_erase": true, "disk_erasure_concurrency": 4,
}

func (agentDeploy) prepareSteps(ctx context.Context, t *task, kind stepKind) (string, error) {
	if kind == serviceSteps {
		return serviceWait, t.restartIntoAgent(ctx)
	}
	maps.Copy(t.node.DriverInternalInfo, eraseParameters)
	if err := t.prepareAgentBoot(ctx); err != nil {
		return "", err
	}
	return cleanWait, t.setPower(ctx, reboot)
}

// tearDownSteps cleans up the ramdisk boot. Unless the operation has failed, it powers the machine off first if allowed.
// Afterward, it boots the instance of a serviced node, and restarts a cleaned machine that must stay powered on.
func (agentDeploy) tearDownSteps(ctx context.Context, t *task, kind stepKind) error {
	failed := t.node.Fault == operations[kind].fault
	if !failed && !t.powerStaysOn() {
		if err := t.setPower(ctx, powerOff); err != nil {
			return err
		}
	}
	if err := t.driver.boot.cleanUpRamdisk(ctx, t); err != nil || failed {
		return err
	}
	switch {
	case kind == serviceSteps:
		if err := t.driver.boot.prepareInstance(ctx, t); err != nil {
			return err
		}
		return t.setPower(ctx, t.powerOnAgain())
	case t.powerStaysOn():
		return t.setPower(ctx, reboot)
	default:
		return nil
	}
}

// bootAgent implements the deploy step of all agent deploy interfaces except ramdisk. It boots the agent unless the
// machine was rebooted already.
func bootAgent(ctx context.Context, t *task, _ db.Dict) (string, error) {
	_, rebooted := t.node.DriverInternalInfo["deployment_reboot"]
	t.dropInternal("deployment_reboot")
	t.save()
	if !rebooted {
		if err := t.setPower(ctx, reboot); err != nil {
			return "", err
		}
	}
	return deployWait, nil
}

// deployRamdisk implements the "deploy" step for a machine that boots its image as a ramdisk, not from its disk.
func deployRamdisk(ctx context.Context, t *task, _ db.Dict) (string, error) {
	if err := t.setPower(ctx, powerOff); err != nil {
		return "", err
	}
	if err := t.driver.boot.prepareInstance(ctx, t); err != nil {
		return "", err
	}
	return "", t.setPower(ctx, powerOn)
}

func (d agentDeploy) prepareInstanceBoot(ctx context.Context, t *task, _ db.Dict) (string, error) {
	if d.kind == "direct" {
		if err := t.configureLocalBoot(ctx); err != nil {
			return "", err
		}
	}
	if err := t.driver.boot.prepareInstance(ctx, t); err != nil {
		return "", t.raise(ctx, "Failed to prepare instance for booting: "+messageOf(err), true)
	}
	return "", nil
}

// tearDownAgent powers the machine off or, if it must stay powered on, disconnects it from the network.
func tearDownAgent(ctx context.Context, t *task, _ db.Dict) (string, error) {
	if t.c.options.LogsCollect == "always" {
		t.collectLogs(ctx, "")
	}
	outOfBandOnly, _ := python.Bool(t.node.DriverInfo["deploy_forces_oob_reboot"])
	var err error
	switch {
	case t.powerStaysOn():
		err = t.lockdown(ctx)
	case outOfBandOnly:
		if _, err = t.command(ctx, "standby.sync", db.Dict{}, true); err == nil {
			err = t.setPower(ctx, powerOff)
		}
	default:
		err = t.powerOffByAgent(ctx)
	}
	if err != nil {
		return "", t.raise(ctx, fmt.Sprintf("Error rebooting node %s after deploy. %s: %s", t.node.UUID, className(err), messageOf(err)), true)
	}
	return "", nil
}

// powerOffByAgent implements soft_power_off. If the agent does not power the machine off in time, the BMC does.
func (t *task) powerOffByAgent(ctx context.Context) error {
	_, _ = t.command(ctx, "standby.power_off", db.Dict{}, false)
	for try := 0; try <= t.c.options.Limits.SoftPowerTries; try++ {
		if try > 0 && !t.c.sleep(ctx, softPowerInterval) {
			return fmt.Errorf("waiting for the agent to power off: %w", ctx.Err())
		}
		if state, err := t.driver.power.state(ctx, t); err == nil && state == powerOff {
			return nil
		}
	}
	return t.setPower(ctx, powerOff)
}

// lockdown makes the agent disconnect the network of a machine that must stay powered on.
func (t *task) lockdown(ctx context.Context) error {
	if _, err := t.command(ctx, "standby.sync", db.Dict{}, true); err != nil {
		return err
	}
	if _, err := t.command(ctx, "system.lockdown", db.Dict{}, false); err != nil {
		return err
	}
	for try := 0; try <= t.c.options.Limits.SoftPowerTries; try++ {
		if _, err := t.commandsStatus(ctx); isKind(err, kindAgentConnection) {
			return nil
		}
		if !t.c.sleep(ctx, softPowerInterval) {
			return fmt.Errorf("waiting for the agent to lock down: %w", ctx.Err())
		}
	}
	return failure("AgentCommandTimeout", "Timeout executing command system.lockdown on node %s", t.node.UUID)
}

func bootInstance(ctx context.Context, t *task, _ db.Dict) (string, error) {
	if err := t.setPower(ctx, t.powerOnAgain()); err != nil {
		return "", t.raise(ctx, fmt.Sprintf("Error booting node %s after deploy. %s: %s", t.node.UUID, className(err), messageOf(err)), false)
	}
	return "", nil
}

// writeImage implements the write_image step of the direct deploy interface. It makes the agent write the image.
func writeImage(ctx context.Context, t *task, _ db.Dict) (string, error) {
	info := t.node.InstanceInfo
	source := info.Text("image_source")
	image := db.Dict{
		"id": source[strings.LastIndexByte(source, '/')+1:], "urls": []any{info["image_url"]}, "disk_format": info["image_disk_format"],
		"container_format": info["image_container_format"], "stream_raw_images": true, "node_uuid": t.node.UUID,
	}
	if info.Text("image_checksum") != "" {
		image["checksum"] = info["image_checksum"]
	}
	if info.Text("image_os_hash_algo") != "" && info.Text("image_os_hash_value") != "" {
		image["os_hash_algo"], image["os_hash_value"] = info["image_os_hash_algo"], info["image_os_hash_value"]
	}
	if secret := info.Text("image_request_authorization_secret"); secret != "" {
		image["image_request_authorization"] = base64.StdEncoding.EncodeToString([]byte(secret))
	}
	if !python.Truthy(t.internal("is_whole_disk_image")) {
		for _, label := range []string{
			"kernel", "ramdisk", "root_gb", "root_mb", "swap_mb", "ephemeral_mb", "ephemeral_format", "configdrive", "preserve_ephemeral", "image_type",
		} {
			image[label] = info[label]
		}
		image["deploy_boot_mode"], image["boot_option"] = bootModeFor(t), "local"
	}
	drive := info["configdrive"]
	if python.Truthy(drive) {
		image["configdrive"] = drive
	}
	return t.executeInBand(ctx, deploySteps, db.Dict{
		"interface": "deploy", "step": "write_image", "args": map[string]any{"image_info": map[string]any(image), "configdrive": drive},
	})
}

// configureLocalBoot makes the agent install a boot loader if needed, and sets the machine to boot from its disk.
func (t *task) configureLocalBoot(ctx context.Context) error {
	whole := python.Truthy(t.internal("is_whole_disk_image"))
	answer, err := t.command(ctx, "standby.get_partition_uuids", db.Dict{}, true)
	if err != nil {
		return err
	}
	uuids, _ := dictOf(answer["command_result"])
	root := uuids["root uuid"]
	if python.Truthy(root) {
		t.setInternal("root_uuid_or_disk_id", root)
		t.save()
	}
	mode := bootModeFor(t)
	var efi any
	if !whole && mode == "uefi" {
		efi = uuids["efi system partition uuid"]
	}
	if (python.Truthy(root) && !whole) || (whole && mode == "uefi") {
		params := db.Dict{"root_uuid": root, "efi_system_part_uuid": efi, "prep_boot_part_uuid": nil, "target_boot_mode": mode}
		result, err := t.pollCommand(ctx, "image.install_bootloader", params)
		if err != nil {
			return err
		}
		if result.Text("command_status") == "FAILED" {
			return t.raise(ctx, fmt.Sprintf("Failed to install a bootloader when deploying node %s: %s", t.node.UUID, commandError(result)), true)
		}
	}
	_, err = setBootToDisk(ctx, t, nil)
	return err
}

// setBootToDisk implements the set_boot_to_disk step. It is also the last part of installing the boot loader.
func setBootToDisk(ctx context.Context, t *task, _ db.Dict) (string, error) {
	if err := t.setBootDevice(ctx, "disk", t.node.DriverInfo.Text("force_persistent_boot_device") != "Never"); err != nil {
		return "", t.raise(ctx, fmt.Sprintf("Failed to change the boot device to disk when deploying node %s: %s", t.node.UUID, messageOf(err)), true)
	}
	return "", nil
}

// installBootc makes the agent install a bootc image, which is a container image.
func installBootc(ctx context.Context, t *task, _ db.Dict) (string, error) {
	info := t.node.InstanceInfo
	var secret any
	if given := info.Text("image_pull_secret"); given != "" {
		secret = base64.StdEncoding.EncodeToString([]byte(given))
	}
	return t.executeInBand(ctx, deploySteps, db.Dict{
		"interface": "deploy", "step": "execute_bootc_install",
		"args": map[string]any{"image_source": info["image_source"], "configdrive": info["configdrive"], "oci_pull_secret": secret},
	})
}

// Limits for polling the agent until a command has ended: the number of requests, and the interval.
const (
	commandTries    = 100
	commandInterval = 6 * time.Second
)

// pollCommand makes the agent start the named command, and polls the agent until the command has ended.
func (t *task) pollCommand(ctx context.Context, name string, params db.Dict) (db.Dict, error) {
	if _, err := t.command(ctx, name, params, false); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		commands, err := t.commandsStatus(ctx)
		if err != nil {
			return nil, err
		}
		for i := len(commands) - 1; i >= 0; i-- {
			if commands[i].Text("command_name") != shortName(name) {
				continue
			}
			if commands[i].Text("command_status") != "RUNNING" {
				return commands[i], nil
			}
			break
		}
		if try == commandTries || !t.c.sleep(ctx, commandInterval) {
			return nil, failure("AgentCommandTimeout", "Timeout executing command %s on node %s", name, t.node.UUID)
		}
	}
}
