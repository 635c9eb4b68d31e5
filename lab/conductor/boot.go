package conductor

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// bootOption returns the boot option of the node's instance, which is "local" or "ramdisk".
func bootOption(n *db.Node) string {
	if interfaceOf(n, "deploy") == "ramdisk" {
		return "ramdisk"
	}
	return "local"
}

// ramdiskMode returns the kind of ramdisk that the node has to boot: "rescue" or "deploy".
func ramdiskMode(n *db.Node) string {
	if slices.Contains([]string{rescuing, rescueWait, rescue, rescueFail, unrescuing, unrescueFail}, n.ProvisionState) {
		return "rescue"
	}
	return "deploy"
}

// needsAgent implements needs_agent_ramdisk.
func needsAgent(t *task, mode string) bool {
	return mode != "deploy" || bootOption(t.node) != "ramdisk" || !t.skipsCleaning()
}

// capability returns the value of the named capability in properties/capabilities, or "" if it is not set.
func capability(n *db.Node, name string) string {
	for _, part := range strings.Split(n.Properties.Text("capabilities"), ",") {
		key, value, ok := strings.Cut(part, ":")
		if ok && !strings.Contains(value, ":") && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// bootModeForDeploy implements get_boot_mode_for_deploy. It returns "" if no boot mode is specified.
func bootModeForDeploy(t *task) (string, error) {
	instance, err := instanceCapabilities(t.node)
	if err != nil {
		return "", err
	}
	if strings.EqualFold(instance.Text("secure_boot"), "true") {
		return "uefi", nil
	}
	own := strings.ToLower(capability(t.node, "boot_mode"))
	old, _ := t.internal("deploy_boot_mode").(string)
	mode := strings.ToLower(cmp.Or(instance.Text("boot_mode"), t.node.InstanceInfo.Text("deploy_boot_mode"), own, old))
	if mode != "" && own != "" && own != mode {
		return "", invalid("Node %s boot mode %s violates node properties/capabilities %s", t.node.UUID, mode, own)
	}
	return mode, nil
}

// bootModeFor implements get_boot_mode. The default is uefi, the value of [deploy]default_boot_mode.
func bootModeFor(t *task) string {
	if mode, err := bootModeForDeploy(t); err == nil && mode != "" {
		return mode
	}
	return "uefi"
}

// syncBootMode sets the requested boot mode or, if none is requested, stores the current one in the node.
func (t *task) syncBootMode(ctx context.Context) error {
	has, err := t.bootMode(ctx)
	if err != nil && !isKind(err, kindUnsupported) {
		return err
	}
	wants, err := bootModeForDeploy(t)
	if err != nil {
		return err
	}
	switch {
	case wants == has && wants != "":
		return nil
	case wants == "" && has == "":
		t.setInternal("deploy_boot_mode", "uefi")
		t.save()
		return t.setBootMode(ctx, "uefi", false)
	case wants == "":
		t.setInternal("deploy_boot_mode", has)
		t.save()
		return nil
	default:
		return t.setBootMode(ctx, wants, has != "")
	}
}

func (t *task) setBootMode(ctx context.Context, mode string, must bool) error {
	if t.node.ProvisionState == adopting {
		return nil
	}
	if modes := []string{"uefi", "bios"}; t.driver.names["management"] == "redfish" && !slices.Contains(modes, mode) {
		problem := invalid("Unsupported boot mode %s specified for node %s. Supported boot modes are: %s", mode, t.node.UUID, strings.Join(modes, ", "))
		return invalid("Node %s boot mode is not set. Attempt to set %s boot mode on the baremetal node failed with error %s", t.node.UUID, mode, problem.Text)
	}
	err := t.changeBootMode(ctx, mode)
	switch {
	case isKind(err, kindUnsupported) && must:
		return db.Faultf(400, kindUnsupported, "Baremetal node %s boot mode is not set to boot mode %s: %s", t.node.UUID, mode, messageOf(err))
	case isKind(err, kindUnsupported):
		return nil
	case err != nil:
		return err
	}
	t.cacheBootMode(ctx)
	return nil
}

// setBootDevice implements node_set_boot_device.
func (t *task) setBootDevice(ctx context.Context, device string, persistent bool) error {
	if err := t.validateRedfish("management"); err != nil {
		return err
	}
	if t.node.ProvisionState == adopting {
		return nil
	}
	switch force := t.node.DriverInfo["force_persistent_boot_device"]; force {
	case "Always":
		persistent = true
	case "Never":
		persistent = false
	case nil, "Default":
	default:
		if yes, _ := python.Bool(force); yes {
			persistent = true
		}
	}
	return t.changeBootDevice(ctx, device, persistent)
}

// preparesRamdisk implements need_prepare_ramdisk.
func preparesRamdisk(n *db.Node) bool {
	return slices.Contains([]string{deploying, deployWait, cleaning, cleanWait, rescuing, rescueWait, inspecting, inspectWait, servicing, serviceWait}, n.ProvisionState)
}

// agentISO returns the URL of the ramdisk's ISO from the current or the deprecated field, or "".
func agentISO(n *db.Node, mode string) string {
	return cmp.Or(n.DriverInfo.Text(mode+"_iso"), n.DriverInfo.Text("redfish_"+mode+"_iso"))
}

// missingParams implements check_for_missing_params.
func missingParams(problem string, d db.Dict, keys ...string) error {
	var absent []string
	for _, key := range keys {
		if !python.Truthy(d[key]) {
			absent = append(absent, key)
		}
	}
	if len(absent) == 0 {
		return nil
	}
	return missing("%s. Missing are: %s", problem, python.Repr(absent))
}

// checkAgentImages returns an error unless driver_info has both a kernel and a ramdisk. The error lists both, even if
// only one of them is missing.
func checkAgentImages(n *db.Node, mode, problem string) error {
	kernel, ramdisk := mode+"_kernel", mode+"_ramdisk"
	if python.Truthy(n.DriverInfo[kernel]) && python.Truthy(n.DriverInfo[ramdisk]) {
		return nil
	}
	return missingParams(problem, db.Dict{}, kernel, ramdisk)
}

// virtualMediaBoot implements the redfish-virtual-media boot interface.
type virtualMediaBoot struct{}

func (virtualMediaBoot) checkDriverInfo(t *task) error {
	mode := ramdiskMode(t.node)
	if !needsAgent(t, mode) {
		return nil
	}
	if agentISO(t.node, mode) == "" {
		if err := checkAgentImages(t.node, mode, "Error validating Redfish virtual media. Some parameters were missing in node's driver_info"); err != nil {
			return err
		}
	}
	_, _, err := parseRedfish(t.node)
	return err
}

func (b virtualMediaBoot) validate(_ context.Context, t *task) error {
	if err := b.checkDriverInfo(t); err != nil {
		return err
	}
	return checkRamdiskImage(t)
}

// checkRamdiskImage checks the image from which a node with the ramdisk deploy interface boots.
func checkRamdiskImage(t *task) error {
	if bootOption(t.node) == "local" {
		return nil
	}
	info := t.node.InstanceInfo
	if info.Text("boot_iso") != "" {
		if info.Text("image_source") != "" {
			return invalid("An 'image_source' and 'boot_iso' parameter may not be specified at the same time.")
		}
		return nil
	}
	problem := "Cannot validate image information for node " + t.node.UUID +
		" because one or more parameters are missing from its instance_info and insufficient information is present to boot from a remote volume"
	if python.Truthy(info["kernel"]) || python.Truthy(info["ramdisk"]) || info.Text("image_source") == "" {
		return missingParams(problem, info, "kernel", "ramdisk")
	}
	return nil
}

func (b virtualMediaBoot) validateInspection(t *task) error { return b.checkDriverInfo(t) }
func (b virtualMediaBoot) validateRescue(t *task) error     { return b.checkDriverInfo(t) }

func (b virtualMediaBoot) prepareRamdisk(ctx context.Context, t *task) error {
	if !preparesRamdisk(t.node) {
		return nil
	}
	if err := b.checkDriverInfo(t); err != nil {
		return err
	}
	system, err := t.systemOf(ctx)
	if err != nil {
		return err
	}
	if err := t.setPower(ctx, powerOff); err != nil {
		return err
	}
	t.setInternal("vmedia_transport_protocol", "HTTP")
	t.save()
	iso := agentISO(t.node, ramdiskMode(t.node))
	if iso == "" {
		return invalid("Unable to find kernel, ramdisk for building ISO, or explicit ISO for %s", t.node.UUID)
	}
	image, err := t.c.images.publish(ctx, t.node, bootImage(t.node.UUID), iso)
	if err != nil {
		return err
	}
	if err := system.Eject(ctx, "CD"); err != nil {
		return err
	}
	if err := t.insertMedium(ctx, system, image, "CD"); err != nil {
		return err
	}
	if err := t.syncBootMode(ctx); err != nil {
		return err
	}
	return t.setBootDevice(ctx, "cdrom", false)
}

func (b virtualMediaBoot) cleanUpRamdisk(ctx context.Context, t *task) error {
	if err := t.setPower(ctx, powerOff); err != nil {
		return err
	}
	return b.eject(ctx, t)
}

// eject ejects the media of the boot interface and stops publishing the boot medium.
func (virtualMediaBoot) eject(ctx context.Context, t *task) error {
	system, err := t.systemOf(ctx)
	if err != nil {
		return err
	}
	if err := system.Eject(ctx, "CD"); err != nil {
		return err
	}
	if bootOption(t.node) == "ramdisk" && t.node.InstanceInfo["configdrive"] != nil {
		if err := system.Eject(ctx, "USBStick"); err != nil {
			return err
		}
	}
	t.c.images.unpublish(bootImage(t.node.UUID))
	return nil
}

func (b virtualMediaBoot) prepareInstance(ctx context.Context, t *task) error {
	if err := b.eject(ctx, t); err != nil {
		return err
	}
	if err := t.syncBootMode(ctx); err != nil {
		return err
	}
	if err := t.configureSecureBoot(ctx, true); err != nil {
		return err
	}
	if bootOption(t.node) == "local" || python.Truthy(t.internal("is_whole_disk_image")) {
		return t.setBootDevice(ctx, "disk", true)
	}
	t.setInternal("vmedia_transport_protocol", "HTTP")
	t.save()
	iso := t.node.InstanceInfo.Text("boot_iso")
	if iso == "" {
		return invalid("Unable to find kernel or ramdisk for to generate boot ISO for %s", t.node.UUID)
	}
	image, err := t.c.images.publish(ctx, t.node, bootImage(t.node.UUID), iso)
	if err != nil {
		return err
	}
	system, err := t.systemOf(ctx)
	if err != nil {
		return err
	}
	if err := t.insertMedium(ctx, system, image, "CD"); err != nil {
		return err
	}
	if python.Truthy(t.node.InstanceInfo["configdrive"]) {
		return failure(kindDeployFailure, "Cannot attach configdrive for node %s: no suitable virtual USB slot has been found", t.node.UUID)
	}
	return t.setBootDevice(ctx, "cdrom", true)
}

func (b virtualMediaBoot) cleanUpInstance(ctx context.Context, t *task) error {
	if err := b.eject(ctx, t); err != nil {
		return err
	}
	return t.configureSecureBoot(ctx, false)
}

// configureSecureBoot turns secure boot on or off if the instance requests secure boot.
func (t *task) configureSecureBoot(ctx context.Context, on bool) error {
	wanted, err := instanceCapabilities(t.node)
	if err != nil || !strings.EqualFold(wanted.Text("secure_boot"), "true") {
		return err
	}
	if err := t.changeSecureBoot(ctx, on); err != nil {
		if isKind(err, kindUnsupported) {
			return nil
		}
		return err
	}
	t.cacheBootMode(ctx)
	return nil
}

// networkBoot implements pxe and ipxe without DHCP and TFTP: it only sets the boot device.
type networkBoot struct {
	ipxe bool
}

func (b networkBoot) check(t *task) error {
	if len(t.ports()) == 0 {
		return missing("Node %s does not have any port associated with it", t.node.UUID)
	}
	if b.ipxe && t.c.options.HTTPURL == "" {
		return missing("iPXE boot is enabled but no HTTP URL or HTTP root was specified")
	}
	if err := checkCapabilities(t.node); err != nil {
		return err
	}
	if t.node.InstanceInfo.Text("image_source") != "" && t.node.InstanceInfo.Text("boot_iso") != "" {
		return invalid("An 'image_source' and 'boot_iso' parameter may not be specified at the same time")
	}
	return b.checkImages(t, "deploy")
}

func (networkBoot) checkImages(t *task, mode string) error {
	if !needsAgent(t, mode) {
		return nil
	}
	return checkAgentImages(t.node, mode, "Cannot validate PXE bootloader. Some parameters were missing in node's driver_info and configuration")
}

func (b networkBoot) validate(_ context.Context, t *task) error {
	if err := b.check(t); err != nil {
		return err
	}
	return checkRamdiskImage(t)
}

func (b networkBoot) validateInspection(t *task) error {
	err := b.check(t)
	if isKind(err, kindMissingParameter) {
		return db.Faultf(400, kindUnsupported, "Insufficient information provided for managed inspection: %s", messageOf(err))
	}
	return err
}

func (b networkBoot) validateRescue(t *task) error { return b.checkImages(t, "rescue") }

func (b networkBoot) prepareRamdisk(ctx context.Context, t *task) error {
	if err := b.checkImages(t, ramdiskMode(t.node)); err != nil {
		return err
	}
	if err := t.syncBootMode(ctx); err != nil {
		return err
	}
	return t.setBootDevice(ctx, "pxe", false)
}

func (networkBoot) cleanUpRamdisk(context.Context, *task) error { return nil }

func (networkBoot) prepareInstance(ctx context.Context, t *task) error {
	if err := t.syncBootMode(ctx); err != nil {
		return err
	}
	if err := t.configureSecureBoot(ctx, true); err != nil {
		return err
	}
	if t.node.ProvisionState == active || t.node.ProvisionState == adopting {
		return nil
	}
	device := "disk"
	if bootOption(t.node) == "ramdisk" {
		device = "pxe"
	}
	return t.setBootDevice(ctx, device, true)
}

func (networkBoot) cleanUpInstance(ctx context.Context, t *task) error {
	return t.configureSecureBoot(ctx, false)
}
