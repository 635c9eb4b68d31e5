package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
)

func checkState(f *Facts) finding {
	n := *f.Node
	n.Maintenance = false // another check reports the maintenance
	saw := models.Observed("provision_state", n.ProvisionState)
	verb := models.VerbDeploy
	if f.Rebuilds() {
		verb = models.VerbRebuild // Ironic also refuses to rebuild a protected node
	}
	if r := models.WhyNot(verb, &n, f.Version); r != nil {
		return fail(r.Why, r.Hint, saw).onScreen(r.ScreenHint)
	}
	return pass("deployable state", saw)
}

func checkMaintenance(f *Facts) finding {
	return f.flag(f.Node.Maintenance, "maintenance", "in maintenance", f.Node.MaintenanceReason, "maintenance off")
}

func checkProtected(f *Facts) finding {
	return f.flag(f.Node.Protected, "protected", "protected", f.Node.ProtectedReason, "unprotect")
}

func checkRetired(f *Facts) finding {
	return f.flag(f.Node.Retired, "retired", "retired", f.Node.RetiredReason, "unretire")
}

// flag refuses a node on which a flag is set. state describes such a node, and command clears the flag.
func (f *Facts) flag(set bool, field, state, reason, command string) finding {
	at := models.Observed(field, set)
	if !set {
		return pass("not "+state, at)
	}
	return fail("the node is "+state+models.ReasonSuffix(reason), "ironworks "+command+" "+f.Node.Label(), at).
		onScreen(models.RunKey(strings.ReplaceAll(command, " ", "-")))
}

func checkReserved(f *Facts) finding {
	n := f.Node
	if f.Rebuilds() {
		return pass("a rebuild keeps the instance", models.Observed("instance_uuid", models.OrNone(n.InstanceUUID)))
	}
	switch n.InstanceUUID {
	case "":
		return pass("not reserved", models.Observed("instance_uuid", "none"))
	case f.OwnInstanceUUID:
		return pass("reserved for this deployment", models.Observed("instance_uuid", n.InstanceUUID))
	}
	who := "the node is reserved or in use"
	if n.InstanceName != "" {
		who += " as " + n.InstanceName
	}
	return fail(who, "ask its owner; to release the node: ironworks set "+n.Label()+" instance_uuid-", models.Observed("instance_uuid", n.InstanceUUID)).
		onScreen("ask its owner; to release the node: " + models.RunKey("set", "instance_uuid-"))
}

// checkAllocation checks that Ironic can allocate the node. Ironic allocates only nodes that are available, have no
// instance, and have the requested resource class and traits.
func checkAllocation(f *Facts) finding {
	n, a := f.Node, f.Plan.Allocate
	if !f.Allocates() {
		return finding{}
	}
	class := cmp.Or(a.ResourceClass, n.ResourceClass)
	at := models.Observed("resource_class", cmp.Or(n.ResourceClass, "none"))
	switch {
	case n.ResourceClass == "":
		return fail("the node has no resource class: an allocation cannot find it", "ironworks set "+n.Label()+" resource_class=CLASS", at).
			onScreen(models.RunKey("set", "resource_class=CLASS"))
	case class != n.ResourceClass:
		return fail("the node does not have the resource class "+class, "", at)
	case n.InstanceUUID != "":
		return fail("the node is in use: an allocation skips it", "deploy without --allocate", models.Observed("instance_uuid", n.InstanceUUID)).
			onScreen("turn off allocation on the Ramdisk page")
	case n.ProvisionState != models.StateAvailable:
		return fail("an allocation uses available nodes only", "undeploy the node, or deploy without --allocate", models.Observed("provision_state", n.ProvisionState)).
			onScreen("undeploy the node, or turn off allocation on the Ramdisk page")
	}
	for _, trait := range a.Traits {
		if !slices.Contains(n.Traits, trait) {
			return fail("the node lacks the trait "+trait, "ironworks set "+n.Label()+" traits+="+trait, models.Observed("traits", strings.Join(n.Traits, " "))).
				onScreen(models.RunKey("set", "traits+="+trait))
		}
	}
	return pass("an allocation can reserve the node", at)
}

// Allocates reports whether the deployment reserves the node through an allocation.
func (f *Facts) Allocates() bool {
	n := f.Node
	return f.Plan.Allocate.Asked() && !f.Rebuilds() && (n.InstanceUUID == "" || n.InstanceUUID != f.OwnInstanceUUID)
}

func checkConsoleLock(f *Facts) finding {
	lock := f.extra("console_lock")
	if lock == nil || lock == false || lock == "" {
		return finding{}
	}
	return fail("the node is locked by extra.console_lock", "ironworks set "+f.Node.Label()+" extra.console_lock-", models.Observed("extra.console_lock", lock)).
		onScreen(models.RunKey("set", "extra.console_lock-"))
}

func checkMetal3(f *Facts) finding {
	if f.Node.Ref().ManagedByMetal3() {
		return fail("Metal3 manages the node and would undo the deployment", "deploy through the BareMetalHost, or pause it first", models.Observed("name", f.Node.Name))
	}
	return pass("not a Metal3 name", models.Observed("name", f.Node.Label()))
}

func checkFault(f *Facts) finding {
	switch n := f.Node; {
	case n.Fault != "":
		return fail("a fault is set", "for details, run ironworks node "+n.Label(), models.Observed("fault", n.Fault)).onScreen("for details, open the node")
	case n.PowerState != models.PowerOn && n.PowerState != models.PowerOff:
		return fail("the power state is unknown", "check the BMC: ironworks validate "+n.Label(),
			models.Observed("power_state", n.PowerState.Short())).onScreen("check the BMC: " + models.RunKey("validate"))
	}
	return pass("no fault", models.Observed("fault", "none"), models.Observed("power_state", f.Node.PowerState))
}

func checkAPIVersion(f *Facts) finding {
	switch {
	case f.Version.IsZero():
		return unknown("Ironic's API version is unknown", "")
	case len(f.Steps) > 0 && !f.Version.Has(models.FeatureDeploySteps):
		return fail((&models.NeedsVersionError{Feature: models.FeatureDeploySteps, Has: f.Version}).Error(), "", models.Observed("API", f.Version))
	}
	return pass("new enough", models.Observed("API", f.Version))
}

func checkDeployInterface(f *Facts) finding {
	iface := f.DeployInterface()
	at := models.Observed("deploy_interface", iface)
	if f.Rebuilds() && iface != f.Node.DeployInterface {
		return fail(fmt.Sprintf("a rebuild cannot change the deploy interface from %s to %s", models.OrNone(f.Node.DeployInterface), iface),
			"undeploy the node, then deploy it", at)
	}
	if f.autodetects() {
		return f.checkAutodetect()
	}
	if want := f.Kind.deployInterface(); want != "" && want != iface {
		return fail(fmt.Sprintf("%s needs the %s deploy interface", f.Kind, want), "set deploy_interface: "+want+" in the plan, or remove the key", at).
			onScreen("set the deploy interface to " + want + " on the Ramdisk page, or clear it")
	}
	return f.enabledInterface(iface, at)
}

// checkAutodetect checks that autodetect will select an interface that fits the plan's kind, and is enabled.
func (f *Facts) checkAutodetect() finding {
	at := models.Observed("deploy_interface", f.InterfaceText())
	if k := f.Plan.Kind; k != "" && slices.ContainsFunc(f.Outcomes, func(o Kind) bool { return o != k }) {
		return fail(fmt.Sprintf("%s may switch to an interface that does not fit %s", interfaceAutodetect, k),
			"remove deploy_interface from the plan: the node gets "+models.OrNone(k.deployInterface()), at).
			onScreen("clear the deploy interface on the Ramdisk page: the node gets " + models.OrNone(k.deployInterface()))
	}
	result := f.enabledInterface(interfaceAutodetect, at)
	if result.verdict == passed {
		result.text = f.InterfaceText()
	}
	return result
}

func (f *Facts) enabledInterface(iface string, at models.Observation) finding {
	if f.DriversError != "" {
		return unknown("the driver's enabled interfaces could not be read: "+f.DriversError, "", at)
	}
	for _, d := range f.Drivers {
		switch enabled := d.Enabled["deploy"]; {
		case d.Name != f.Node.Driver:
		case enabled == nil:
			return unknown("Ironic does not report the driver's enabled interfaces", "", at)
		case !slices.Contains(enabled, iface):
			return fail(fmt.Sprintf("%s is not enabled for driver %s", iface, d.Name),
				"add the interface to [DEFAULT]enabled_deploy_interfaces on the conductors", at, models.Observed("enabled", strings.Join(enabled, ", ")))
		default:
			return pass("enabled", at, models.Observed("driver", d.Name))
		}
	}
	return unknown("Ironic has no driver "+f.Node.Driver, "", at)
}

// checkConductor checks that a conductor serves the node. Without one, Ironic responds as if the node did not exist.
// The conductor that Ironic reports for the node takes precedence over the list of conductors: with SQLite,
// conductors record no heartbeats, and are listed as dead after a minute.
func checkConductor(f *Facts) finding {
	n := f.Node
	if n.Conductor != "" {
		return pass("a conductor serves the node", models.Observed("conductor", n.Conductor))
	}
	if f.ConductorsError != "" {
		return unknown("the conductors could not be read: "+f.ConductorsError, "")
	}
	var dead []string
	for _, c := range f.Conductors {
		switch {
		case c.Group != n.ConductorGroup || c.Drivers != nil && !slices.Contains(c.Drivers, n.Driver):
		case c.Alive:
			return pass("conductor alive", models.Observed("conductor", c.Hostname))
		default:
			dead = append(dead, c.Hostname)
		}
	}
	evidence := []models.Observation{models.Observed("driver", n.Driver), models.Observed("conductor_group", models.OrNone(n.ConductorGroup))}
	if len(dead) > 0 {
		evidence = append(evidence, models.Observed("dead", strings.Join(dead, ", ")))
	}
	return fail("no live conductor for the node", "start a conductor with the node's driver and conductor group", evidence...)
}

// checkRamdisk checks the fields that name the boot files. Like get_field in ironic/drivers/utils.py, it also reads
// fields whose names start with an old driver's prefix.
func checkRamdisk(f *Facts) finding {
	if f.Kind == KindConfigured || f.Kind == KindFake {
		return finding{}
	}
	p := f.Plan.Ramdisk
	switch {
	case p.ISO != "" && (p.Kernel != "" || p.Initrd != ""):
		return fail("the plan has both an ISO and a kernel", "remove one of the two", models.Observed("ramdisk.iso", p.ISO))
	case p.ISO != "" && p.Params != "":
		return fail("Ironic passes no kernel parameters to a prebuilt ISO", "add them to the ISO: ironworks ignition kargs", models.Observed("ramdisk.params", p.Params)).
			onScreen("add them to the ISO on the Ignition screen (:ignition)")
	case (p.Kernel == "") != (p.Initrd == ""):
		return fail("kernel and initrd must be set together", "set both", models.Observed("ramdisk.kernel", models.OrNone(p.Kernel)), models.Observed("ramdisk.initrd", models.OrNone(p.Initrd)))
	case p.ISO != "":
		return pass("ISO from the plan", models.Observed("ramdisk.iso", p.ISO))
	case p.Kernel != "":
		return pass("kernel and initrd from the plan", models.Observed("ramdisk.kernel", p.Kernel))
	}
	if f.Kind == KindRamdisk {
		return f.instanceRamdisk()
	}
	if files := BootFiles(f.Node); len(files) > 0 {
		what := "kernel and ramdisk set"
		if files[0].Kind == BootISO {
			what = "deploy ISO set"
		}
		return pass(what, models.Observed(files[0].Field, files[0].Address))
	}
	if f.Node.BootInterface == "fake" {
		return pass("the fake boot interface boots nothing", models.Observed("boot_interface", "fake"))
	}
	for _, v := range f.Validations {
		if v.Interface == "boot" && v.Result != nil && *v.Result {
			return pass("configured in Ironic: boot validation passes", models.Observed("validate.boot", true))
		}
	}
	return fail("no deploy ISO, and no kernel and ramdisk", "set ramdisk.iso in the plan, or run ironworks set "+f.Node.Label()+" driver_info.deploy_iso=URL",
		models.Observed("driver_info.deploy_iso", "none"), models.Observed("driver_info.deploy_kernel", "none")).
		onScreen("set an ISO on the Ramdisk page, or " + models.RunKey("set", "driver_info.deploy_iso=URL"))
}

func (f *Facts) instanceRamdisk() finding {
	info := f.Node.InstanceInfo
	switch {
	case models.TextOf(info["boot_iso"]) != "":
		return pass("the instance's ISO", models.Observed("instance_info.boot_iso", models.TextOf(info["boot_iso"])))
	case models.TextOf(info["kernel"]) != "" && models.TextOf(info["ramdisk"]) != "":
		return pass("the instance's kernel and ramdisk", models.Observed("instance_info.kernel", models.TextOf(info["kernel"])))
	case models.TextOf(info["image_source"]) != "":
		return pass("image with kernel and ramdisk", models.Observed("instance_info.image_source", models.TextOf(info["image_source"])))
	}
	return fail("the instance has nothing to boot", "set ramdisk.iso, or ramdisk.kernel and ramdisk.initrd, in the plan",
		models.Observed("instance_info.boot_iso", "none"), models.Observed("instance_info.kernel", "none")).
		onScreen("set an ISO, or a kernel and initramfs, on the Ramdisk page")
}

// changes reports whether the plan changes fields that the given interface validates. If so, the result of the
// current validation does not count.
func (f *Facts) changes(iface string) bool {
	p := f.Plan
	switch iface {
	case "boot":
		return p.Ramdisk != Ramdisk{} || f.DeployInterface() != f.Node.DeployInterface
	case "deploy":
		return f.DeployInterface() != f.Node.DeployInterface || p.Image != Image{} || p.RootDevice.Hints.IsSet() || p.Ramdisk != Ramdisk{}
	}
	return false
}

func checkValidate(f *Facts) finding {
	if f.ValidateError != "" {
		return unknown("Ironic did not validate the node: "+f.ValidateError, "ironworks validate "+f.Node.Label()).onScreen(models.RunKey("validate"))
	}
	var failed, later []string
	var evidence []models.Observation
	for _, v := range f.Validations {
		if !models.NeededToDeploy(v.Interface) || v.Result == nil || *v.Result {
			continue
		}
		evidence = append(evidence, models.Observed("validate."+v.Interface, "false: "+v.Reason))
		if f.changes(v.Interface) {
			later = append(later, v.Interface)
			continue
		}
		failed = append(failed, v.Interface)
	}
	switch {
	case len(failed) > 0:
		return fail("Ironic finds "+strings.Join(failed, ", ")+" invalid", "to validate again, run ironworks validate "+f.Node.Label(), evidence...).
			onScreen("to validate again, " + models.RunKey("validate"))
	case len(later) > 0:
		return unknown(strings.Join(later, ", ")+" is invalid now; the plan changes that, and Ironic validates again before deployment", "", evidence...)
	case len(f.Validations) == 0:
		return unknown("Ironic's validation reports no interfaces", "")
	}
	return pass("validation passes for everything a deployment needs")
}

// checkKernelParams checks the kernel parameters according to the grammar that new releases of Ironic use. The API
// version shows which old releases do not use the grammar, but not which new releases do.
func checkKernelParams(f *Facts) finding {
	const key = "kernel_append_params"
	places := []models.Detail{
		{Name: "ramdisk.params", Value: f.Plan.Ramdisk.Params},
		{Name: "instance_info." + key, Value: models.TextOf(f.Node.InstanceInfo[key])},
		{Name: "driver_info." + key, Value: models.TextOf(f.Node.DriverInfo[key])},
	}
	i := slices.IndexFunc(places, func(p models.Detail) bool { return p.Value != "" })
	if i < 0 {
		return finding{}
	}
	value, at := places[i].Value, models.Observed(places[i].Name, places[i].Value)
	err := models.CheckKernelAppendParams(value)
	switch {
	case err == nil:
		return pass("valid", at)
	case hints.GenerationOf(f.Version) == hints.GenerationOld:
		return unknown("Ironic 37 and later reject these parameters (this Ironic is older): "+err.Error(), "use KEY, KEY=VALUE or KEY=\"VALUE WITH SPACES\", separated by spaces", at)
	}
	return fail("rejected since Ironic 37: "+err.Error(), "use KEY, KEY=VALUE or KEY=\"VALUE WITH SPACES\", separated by spaces", at)
}
