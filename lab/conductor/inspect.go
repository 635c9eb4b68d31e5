package conductor

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// Inspect starts an inspection of the node.
func (c *Conductor) Inspect(ctx context.Context, uuid string) error {
	return c.withTask(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		if err := t.validateRedfish("power"); err != nil {
			return err
		}
		if err := t.driver.inspect.validate(t); err != nil {
			return err
		}
		return t.begin(onInspect, "", "inspect_hardware", (*task).inspectNode)
	})
}

// inspectNode implements inspect_hardware.
func (t *task) inspectNode(ctx context.Context) error {
	t.wipeAgent()
	state, err := t.driver.inspect.inspect(ctx, t)
	if ctx.Err() != nil {
		return fmt.Errorf("the conductor ends: %w", ctx.Err())
	}
	if err != nil {
		message := messageOf(err)
		if !isIronic(err) {
			message = fmt.Sprintf("Unexpected exception of type %s: %s", className(err), message)
		}
		t.failInspection(ctx, message)
		_ = t.process(onFail)
		return err
	}
	if state == inspectWait {
		return t.process(onWait)
	}
	return t.process(onDone)
}

// failInspection implements inspecting_error_handler, except that it does not change the provision state.
func (t *task) failInspection(ctx context.Context, message string) {
	t.record(message, "introspection", true)
	if err := t.driver.inspect.abort(ctx, t); isKind(err, kindUnsupported) {
		_ = t.driver.boot.cleanUpRamdisk(ctx, t)
	}
	t.wipeAgent()
	t.save()
}

// abortInspection implements abort_inspection.
func (t *task) abortInspection(ctx context.Context) error {
	if err := t.driver.inspect.abort(ctx, t); err != nil {
		if !isKind(err, kindUnsupported) {
			t.record("Failed to abort inspection: "+messageOf(err), "introspection", true)
			t.save()
		}
		return err
	}
	t.record("Inspection was aborted by request.", "introspection", true)
	t.wipeAgent()
	if t.node.ProvisionState == inspectFail {
		t.save()
		return nil
	}
	return t.process(onAbort)
}

// DiscoveryDriver returns the driver of auto-discovered nodes, or "" if auto-discovery is disabled.
func (c *Conductor) DiscoveryDriver() string { return c.options.DiscoveryDriver }

// ContinueInspection handles the inspection data that the node's agent has sent.
func (c *Conductor) ContinueInspection(ctx context.Context, uuid string, inventory, pluginData db.Dict) error {
	return c.withTask(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		discovered := t.node.ProvisionState == enroll && c.options.DiscoveryDriver != ""
		if t.node.ProvisionState != inspectWait && !discovered {
			return db.Faultf(http.StatusNotFound, "NotFound", "Resource could not be found.")
		}
		if !discovered {
			if err := t.start(onResume, "", ""); err != nil {
				return err
			}
		}
		t.continueWith("continue_inspection", func(t *task, ctx context.Context) error { return t.inspected(ctx, inventory, pluginData) })
		return nil
	})
}

// inspected implements continue_inspection.
func (t *task) inspected(ctx context.Context, inventory, pluginData db.Dict) error {
	if pluginData == nil {
		pluginData = db.Dict{}
	}
	t.stamp("agent_last_heartbeat")
	t.save()
	err := t.driver.inspect.proceed(ctx, t, inventory, pluginData)
	if isKind(err, kindUnsupported) {
		return err
	}
	if err == nil {
		err = t.applyRules(inventory, pluginData)
	}
	if err == nil {
		delete(pluginData, "logs")
		err = t.c.tables.SetInventory(t.node.UUID, db.Inventory{Inventory: inventory, PluginData: pluginData})
	}
	if ctx.Err() != nil {
		return fmt.Errorf("the conductor ends: %w", ctx.Err())
	}
	if err != nil {
		t.failInspection(ctx, "Failed to finish inspection: "+messageOf(err))
		if t.node.ProvisionState != enroll {
			_ = t.process(onFail)
		}
		return err
	}
	if t.node.ProvisionState == enroll { // auto-discovery created the node
		return nil
	}
	t.updateFirmwareCache(ctx)
	return t.process(onDone)
}

func inspectionFailure(format string, args ...any) error {
	return failure(kindInspectionFailure, "Failed to inspect hardware. Reason: "+format, args...)
}

// managesBoot is the field of driver_internal_info that tells whether the conductor boots the ramdisk.
const managesBoot = "inspector_manage_boot"

// agentInspect implements the agent inspect interface.
type agentInspect struct{}

// validate requires a bootable ramdisk, because [inspector]require_managed_boot is true in 39.0.0.
func (agentInspect) validate(t *task) error { return t.driver.boot.validateInspection(t) }

func (agentInspect) inspect(ctx context.Context, t *task) (string, error) {
	macs, err := t.macAddresses(ctx)
	if err != nil && !isKind(err, kindUnsupported) {
		return "", err
	}
	for _, mac := range macs {
		t.addPort(mac, true, nil)
	}
	if err := t.driver.boot.validateInspection(t); err != nil {
		return "", err
	}
	t.setInternal(managesBoot, true)
	t.save()
	if err = t.powerOffAndOn(ctx, func() error { return t.driver.boot.prepareRamdisk(ctx, t) }); err == nil {
		return inspectWait, nil
	}
	message := "unable to start inspection: " + messageOf(err)
	tearDownInspection(ctx, t, false)
	t.node.LastError = message
	t.save()
	return "", inspectionFailure("%s", message)
}

// tearDownInspection cleans up the ramdisk boot if the conductor manages it. It then powers the machine off, or
// reboots it if it must stay powered on. It leaves the power unchanged if inspected machines stay on, or if always is
// false and the conductor does not manage the boot. It returns the messages of all errors.
func tearDownInspection(ctx context.Context, t *task, always bool) []string {
	var problems []string
	managed := python.Truthy(t.internal(managesBoot))
	t.dropInternal(managesBoot)
	if managed {
		if err := t.driver.boot.cleanUpRamdisk(ctx, t); err != nil {
			problems = append(problems, "unable to clean up ramdisk boot: "+messageOf(err))
		}
	}
	if (managed || always) && !t.c.options.InspectedStayOn {
		change, format := powerOff, "unable to power off the node: "
		if t.powerStaysOn() {
			change, format = reboot, "unable to reboot the node: "
		}
		if err := t.setPower(ctx, change); err != nil {
			problems = append(problems, format+messageOf(err))
		}
	}
	return problems
}

func (agentInspect) abort(ctx context.Context, t *task) error {
	_ = endInspection(ctx, t)
	return nil
}

// endInspection implements clean_up (ironic/drivers/modules/inspector/interface.py). If the clean-up fails for an
// auto-discovered node, endInspection returns an error, because the enroll state has no transition for a failure.
func endInspection(ctx context.Context, t *task) error {
	if problems := tearDownInspection(ctx, t, true); len(problems) > 0 {
		t.node.LastError = "Inspection clean up failed: " + strings.Join(problems, ", ")
		if err := t.process(onFail); t.node.ProvisionState == enroll {
			return err
		}
	}
	return nil
}

func (agentInspect) proceed(ctx context.Context, t *task, inventory, pluginData db.Dict) error {
	if err := runHooks(t, inventory, pluginData); err != nil {
		t.storeLogs(pluginData.Text("logs"), "inspect")
		message := "failed to run inspection hooks: " + messageOf(err)
		tearDownInspection(ctx, t, false)
		t.node.LastError = message
		t.save()
		return inspectionFailure("%s", message)
	}
	if t.c.options.LogsCollect == "always" {
		t.storeLogs(pluginData.Text("logs"), "inspect")
	}
	return endInspection(ctx, t)
}

// runHooks implements the default inspection hooks: ramdisk-error, validate-interfaces, ports and architecture.
func runHooks(t *task, inventory, pluginData db.Dict) error {
	var problems []string
	if iface := pluginData["error"]; python.Truthy(iface) {
		problems = append(problems, "Error in preprocess hook ramdisk-error: "+messageOf(inspectionFailure("Ramdisk reported error: %s", python.Str(iface))))
	}
	interfaces, valid, err := inspectedInterfaces(t.node.UUID, inventory)
	if err != nil {
		problems = append(problems, fmt.Sprintf("Unexpected exception %s during preprocess hook validate-interfaces: %s", className(err), messageOf(err)))
	}
	if len(problems) > 0 {
		return inspectionFailure("The following failures happened while running preprocess hooks for node %s:\n%s", t.node.UUID, strings.Join(problems, "\n"))
	}
	all, kept, macs := map[string]any{}, map[string]any{}, []any{}
	for _, i := range interfaces {
		all[i.name] = map[string]any(i.data)
	}
	for _, i := range valid {
		kept[i.name] = map[string]any(i.data)
		macs = append(macs, i.data["mac_address"])
	}
	pluginData["all_interfaces"], pluginData["valid_interfaces"], pluginData["macs"] = all, kept, macs
	portsHook(t, interfaces, valid)
	cpu, ok := dictOf(inventory["cpu"])
	architecture, known := cpu["architecture"]
	if !ok || !known {
		reason := fmt.Sprintf("Inventory has malformed or missing CPU architecture information: %s for node %s.", python.Repr(inventory["cpu"]), t.node.UUID)
		return inspectionFailure("Unexpected exception InvalidNodeInventory during processing for node: %s. Error: %s", t.node.UUID, messageOf(invalidInventory(t.node.UUID, reason)))
	}
	t.node.Properties["cpu_arch"] = architecture
	t.save()
	return nil
}

func invalidInventory(node, reason string) error {
	return db.Faultf(http.StatusBadRequest, "InvalidNodeInventory", "Inventory for node %s is invalid: %s", node, reason)
}

// nic is a network interface listed in an inspection's inventory.
type nic struct {
	name, mac string
	pxe       bool
	data      db.Dict
}

// inspectedInterfaces returns all interfaces in the inventory that have a name and a MAC address. valid contains the
// interfaces for which ports are created ([inspector]add_ports = pxe).
func inspectedInterfaces(node string, inventory db.Dict) (all, valid []nic, err error) {
	boot, _ := dictOf(inventory["boot"])
	booted := boot.Text("pxe_interface")
	if i := strings.IndexByte(booted, '-'); i >= 0 {
		booted = strings.ReplaceAll(booted[i+1:], "-", ":")
	}
	booted = strings.ToLower(booted)
	if _, ok := inventory["interfaces"]; !ok {
		return nil, nil, invalidInventory(node, "no interfaces present in inventory")
	}
	for _, iface := range dictsOf(inventory["interfaces"]) {
		mac, err := net.ParseMAC(iface.Text("mac_address"))
		if iface.Text("name") == "" || err != nil {
			continue
		}
		iface = iface.Clone()
		v6, _, _ := strings.Cut(iface.Text("ipv6_address"), "%")
		i := nic{name: iface.Text("name"), mac: mac.String(), pxe: mac.String() == booted, data: iface}
		iface["pxe_enabled"], iface["ipv6_address"] = i.pxe, orNull(v6)
		all = append(all, i)
	}
	if len(all) == 0 {
		return nil, nil, invalidInventory(node, "no valid network interfaces")
	}
	for _, i := range all {
		ip := net.ParseIP(cmp.Or(i.data.Text("ipv4_address"), i.data.Text("ipv6_address")))
		if i.name == "lo" || (ip != nil && ip.IsLoopback()) || (booted != "" && !i.pxe) {
			continue
		}
		valid = append(valid, i)
	}
	if len(valid) == 0 {
		return nil, nil, invalidInventory(node, `no network interfaces match the configuration (add_ports set to "pxe")`)
	}
	return all, valid, nil
}

// portsHook creates ports for the valid interfaces and sets the pxe_enabled field of each port according to the
// inventory. Ports that are not in the inventory are kept ([inspector]keep_ports = all).
func portsHook(t *task, all, valid []nic) {
	for _, i := range valid {
		extra := db.Dict{}
		if id := i.data.Text("client_id"); id != "" {
			extra["client-id"] = id
		}
		t.addPort(i.data.Text("mac_address"), i.pxe, extra)
	}
	for _, p := range t.ports() {
		i := slices.IndexFunc(all, func(n nic) bool { return n.mac == p.Address })
		boots := i >= 0 && all[i].pxe
		id := ""
		if i >= 0 {
			id = all[i].data.Text("client_id")
		}
		if boots == p.PXEEnabled && (id == "" || id == p.Extra.Text("client-id")) {
			continue
		}
		_, _ = t.c.tables.Ports.Update(p.UUID, func(p *db.Port) error {
			p.PXEEnabled = boots
			if id != "" {
				p.Extra = p.Extra.Clone()
				if p.Extra == nil {
					p.Extra = db.Dict{}
				}
				p.Extra["client-id"] = id
			}
			return nil
		})
	}
}

// addPort adds a port to the node, unless a port with that address exists.
func (t *task) addPort(mac string, pxe bool, extra db.Dict) {
	address, err := net.ParseMAC(mac)
	if err != nil {
		return
	}
	if extra == nil {
		extra = db.Dict{}
	}
	_, _ = t.c.tables.Ports.Create(&db.Port{
		NodeUUID: t.node.UUID, Address: address.String(), PXEEnabled: pxe, Extra: extra,
		LocalLinkConnection: db.Dict{}, InternalInfo: db.Dict{},
	})
}

type fakeInspect struct{}

func (fakeInspect) validate(*task) error                           { return nil }
func (fakeInspect) inspect(context.Context, *task) (string, error) { return manageable, nil }

func (fakeInspect) abort(_ context.Context, t *task) error {
	return unsupported(t.node.Driver, "abort")
}

func (fakeInspect) proceed(_ context.Context, t *task, _, _ db.Dict) error {
	return unsupported(t.node.Driver, "continue_inspection")
}

type noInspect struct{ fakeInspect }

func (noInspect) validate(t *task) error { return unsupported(t.node.Driver, "inspect") }
