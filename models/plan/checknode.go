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
	n.Maintenance = false // which is told by itself
	saw := models.Observed("provision_state", n.ProvisionState)
	verb := models.VerbDeploy
	if f.Rebuilds() {
		verb = models.VerbRebuild // Ironic turns that down for a protected node, too
	}
	if r := models.WhyNot(verb, &n, f.Version); r != nil {
		return bad(r.Why, r.Hint, saw)
	}
	return good("a deployment may begin", saw)
}

func checkMaintenance(f *Facts) finding {
	if f.Node.Maintenance {
		return bad("the node is in maintenance"+models.ReasonSuffix(f.Node.MaintenanceReason),
			"ironworks maintenance off "+f.Node.Label(), models.Observed("maintenance", true))
	}
	return good("not in maintenance", models.Observed("maintenance", false))
}

func checkReserved(f *Facts) finding {
	n := f.Node
	if f.Rebuilds() {
		return good("a rebuild keeps the instance", models.Observed("instance_uuid", models.OrNone(n.InstanceUUID)))
	}
	switch n.InstanceUUID {
	case "":
		return good("nobody has reserved the node", models.Observed("instance_uuid", "none"))
	case f.Mine:
		return good("reserved for this deployment", models.Observed("instance_uuid", n.InstanceUUID))
	}
	who := "somebody has reserved the node, or uses it"
	if n.InstanceName != "" {
		who += " as " + n.InstanceName
	}
	return bad(who, "ask whose it is; ironworks set "+n.Label()+" instance_uuid- gives it free", models.Observed("instance_uuid", n.InstanceUUID))
}

// checkAllocation says what Ironic would find: only an available node that nobody has is
// allocated, and only one of the resource class, with the traits.
func checkAllocation(f *Facts) finding {
	n, a := f.Node, f.Plan.Allocate
	if !f.Allocates() {
		return finding{}
	}
	class := cmp.Or(a.ResourceClass, n.ResourceClass)
	at := models.Observed("resource_class", cmp.Or(n.ResourceClass, "none"))
	switch {
	case n.ResourceClass == "":
		return bad("the node has no resource class, so no allocation can find it", "ironworks set "+n.Label()+" resource_class=CLASS", at)
	case class != n.ResourceClass:
		return bad("the node is not of the resource class "+class, "", at)
	case n.InstanceUUID != "":
		return bad("somebody has the node: an allocation leaves it out", "deploy without --allocate", models.Observed("instance_uuid", n.InstanceUUID))
	case n.ProvisionState != models.StateAvailable:
		return bad("an allocation takes available nodes only", "undeploy it, or deploy without --allocate", models.Observed("provision_state", n.ProvisionState))
	}
	for _, trait := range a.Traits {
		if !slices.Contains(n.Traits, trait) {
			return bad("the node lacks the trait "+trait, "ironworks set "+n.Label()+" traits+="+trait, models.Observed("traits", strings.Join(n.Traits, " ")))
		}
	}
	return good("an allocation can reserve the node", at)
}

// Allocates says that an allocation will reserve the node.
func (f *Facts) Allocates() bool {
	n := f.Node
	return f.Plan.Allocate.Asked() && !f.Rebuilds() && (n.InstanceUUID == "" || n.InstanceUUID != f.Mine)
}

func checkProtected(f *Facts) finding {
	if f.Node.Protected {
		return bad("the node is protected"+models.ReasonSuffix(f.Node.ProtectedReason), "ironworks unprotect "+f.Node.Label(), models.Observed("protected", true))
	}
	return good("not protected", models.Observed("protected", false))
}

func checkRetired(f *Facts) finding {
	if f.Node.Retired {
		return bad("the node is retired"+models.ReasonSuffix(f.Node.RetiredReason), "ironworks unretire "+f.Node.Label(), models.Observed("retired", true))
	}
	return good("not retired", models.Observed("retired", false))
}

func checkConsoleLock(f *Facts) finding {
	lock := f.extra("console_lock")
	if lock == nil || lock == false || lock == "" {
		return finding{}
	}
	return bad("somebody has locked the node for consoles", "ironworks set "+f.Node.Label()+" extra.console_lock-", models.Observed("extra.console_lock", lock))
}

// checkMetal3: the baremetal operator names nodes namespace~host, and makes of them what
// its own objects say.
func checkMetal3(f *Facts) finding {
	if namespace, host, ok := strings.Cut(f.Node.Name, "~"); ok && namespace != "" && host != "" {
		return bad("Metal3 has the node, and will undo this", "deploy with its BareMetalHost, or pause that first", models.Observed("name", f.Node.Name))
	}
	return good("not a name of Metal3's", models.Observed("name", f.Node.Label()))
}

func checkFault(f *Facts) finding {
	switch n := f.Node; {
	case n.Fault != "":
		return bad("Ironic has marked a fault", "ironworks node "+n.Label()+" says more", models.Observed("fault", n.Fault))
	case n.PowerState != models.PowerOn && n.PowerState != models.PowerOff:
		return bad("Ironic does not know the power state", "see whether its BMC answers: ironworks validate "+n.Label(),
			models.Observed("power_state", n.PowerState.Short()))
	}
	return good("no fault", models.Observed("fault", "none"), models.Observed("power_state", f.Node.PowerState))
}

func checkAPIVersion(f *Facts) finding {
	switch {
	case f.Version.IsZero():
		return unknown("Ironic's API version is not known", "")
	case len(f.Steps) > 0 && !f.Version.Has(models.FeatureDeploySteps):
		return bad((&models.NeedsVersionError{Feature: models.FeatureDeploySteps, Has: f.Version}).Error(), "", models.Observed("API", f.Version))
	}
	return good("new enough", models.Observed("API", f.Version))
}

func checkDeployInterface(f *Facts) finding {
	iface := f.DeployInterface()
	at := models.Observed("deploy_interface", iface)
	if f.Rebuilds() && iface != f.Node.DeployInterface {
		return bad(fmt.Sprintf("a rebuild cannot change the deploy interface from %s to %s", models.OrNone(f.Node.DeployInterface), iface),
			"undeploy the node, then deploy it", at)
	}
	if f.autodetects() {
		return f.checkAutodetect()
	}
	if want := f.Kind.deployInterface(); want != "" && want != iface {
		return bad(fmt.Sprintf("%s needs the deploy interface %s", f.Kind, want), "deploy_interface: "+want+" in the plan, or leave it out", at)
	}
	return f.enabledInterface(iface, at)
}

// checkAutodetect says what autodetect is expected to switch to.
func (f *Facts) checkAutodetect() finding {
	at := models.Observed("deploy_interface", f.InterfaceText())
	if k := f.Plan.Kind; k != "" && slices.ContainsFunc(f.Outcomes, func(o Kind) bool { return o != k }) {
		return bad(fmt.Sprintf("%s may switch to another interface than that of %s", interfaceAutodetect, k),
			"leave deploy_interface out of the plan: the node gets "+models.OrNone(k.deployInterface()), at)
	}
	result := f.enabledInterface(interfaceAutodetect, at)
	if result.verdict == fine {
		result.text = f.InterfaceText()
	}
	return result
}

func (f *Facts) enabledInterface(iface string, at models.Observation) finding {
	if f.DriversError != "" {
		return unknown("what the driver has enabled could not be read: "+f.DriversError, "", at)
	}
	for _, d := range f.Drivers {
		switch enabled := d.Enabled["deploy"]; {
		case d.Name != f.Node.Driver:
		case enabled == nil:
			return unknown("Ironic does not say what the driver has enabled", "", at)
		case !slices.Contains(enabled, iface):
			return bad(fmt.Sprintf("%s is not enabled for driver %s", iface, d.Name),
				"add it to [DEFAULT]enabled_deploy_interfaces of the conductors", at, models.Observed("enabled", strings.Join(enabled, ", ")))
		default:
			return good("enabled", at, models.Observed("driver", d.Name))
		}
	}
	return unknown("Ironic has no driver "+f.Node.Driver, "", at)
}

// checkConductor: a request for a node that no conductor has is answered as if there
// were no such node. Ironic's own word for the node comes first: with SQLite conductors
// do not tell that they are alive, and count as dead in the list after a minute.
func checkConductor(f *Facts) finding {
	n := f.Node
	if n.Conductor != "" {
		return good("a conductor has the node", models.Observed("conductor", n.Conductor))
	}
	if f.ConductorsError != "" {
		return unknown("the conductors could not be read: "+f.ConductorsError, "")
	}
	var dead []string
	for _, c := range f.Conductors {
		switch {
		case c.Group != n.ConductorGroup || c.Drivers != nil && !slices.Contains(c.Drivers, n.Driver):
		case c.Alive:
			return good("a conductor is alive", models.Observed("conductor", c.Hostname))
		default:
			dead = append(dead, c.Hostname)
		}
	}
	evidence := []models.Observation{models.Observed("driver", n.Driver), models.Observed("conductor_group", models.OrNone(n.ConductorGroup))}
	if len(dead) > 0 {
		evidence = append(evidence, models.Observed("dead", strings.Join(dead, ", ")))
	}
	return bad("no conductor is alive for the node", "start one with the driver and the group", evidence...)
}

// checkRamdisk: the fields are those of ironic/drivers/utils.py (get_field), with
// the prefixes of old drivers.
func checkRamdisk(f *Facts) finding {
	if f.Kind == KindConfigured || f.Kind == KindFake {
		return finding{}
	}
	p := f.Plan.Ramdisk
	switch {
	case p.ISO != "" && (p.Kernel != "" || p.Initrd != ""):
		return bad("the plan has an ISO and a kernel, which exclude each other", "leave one of them out", models.Observed("ramdisk.iso", p.ISO))
	case p.ISO != "" && p.Params != "":
		return bad("Ironic passes no kernel parameters to an ISO that is ready", "put them into the ISO: ironworks ignition kargs", models.Observed("ramdisk.params", p.Params))
	case (p.Kernel == "") != (p.Initrd == ""):
		return bad("a kernel and its initrd go together", "give both", models.Observed("ramdisk.kernel", models.OrNone(p.Kernel)), models.Observed("ramdisk.initrd", models.OrNone(p.Initrd)))
	case p.ISO != "":
		return good("an ISO of the plan", models.Observed("ramdisk.iso", p.ISO))
	case p.Kernel != "":
		return good("a kernel and an initrd of the plan", models.Observed("ramdisk.kernel", p.Kernel))
	}
	if f.Kind == KindRamdisk {
		return f.instanceRamdisk()
	}
	if files := BootFiles(f.Node); len(files) > 0 {
		what := "a kernel and a ramdisk"
		if files[0].Kind == BootISO {
			what = "a deploy ISO"
		}
		return good(what, models.Observed(files[0].Field, files[0].Address))
	}
	if f.Node.BootInterface == "fake" {
		return good("a fake boot interface boots nothing", models.Observed("boot_interface", "fake"))
	}
	for _, v := range f.Validations {
		if v.Interface == "boot" && v.Result != nil && *v.Result {
			return good("Ironic has one configured: it finds boot valid", models.Observed("validate.boot", true))
		}
	}
	return bad("there is neither a deploy ISO nor a kernel with its ramdisk", "ramdisk.iso in the plan, or ironworks set "+f.Node.Label()+" driver_info.deploy_iso=URL",
		models.Observed("driver_info.deploy_iso", "none"), models.Observed("driver_info.deploy_kernel", "none"))
}

// instanceRamdisk is what an instance that runs from memory boots.
func (f *Facts) instanceRamdisk() finding {
	info := f.Node.InstanceInfo
	switch {
	case models.TextOf(info["boot_iso"]) != "":
		return good("an ISO of the instance", models.Observed("instance_info.boot_iso", models.TextOf(info["boot_iso"])))
	case models.TextOf(info["kernel"]) != "" && models.TextOf(info["ramdisk"]) != "":
		return good("a kernel and a ramdisk of the instance", models.Observed("instance_info.kernel", models.TextOf(info["kernel"])))
	case models.TextOf(info["image_source"]) != "":
		return good("an image with its kernel and ramdisk", models.Observed("instance_info.image_source", models.TextOf(info["image_source"])))
	}
	return bad("there is nothing that the instance could boot", "ramdisk.iso in the plan, or ramdisk.kernel and ramdisk.initrd",
		models.Observed("instance_info.boot_iso", "none"), models.Observed("instance_info.kernel", "none"))
}

// changes says that the plan changes what an interface validates: its answer of now is
// not that of the deployment.
func (f *Facts) changes(iface string) bool {
	p := f.Plan
	switch iface {
	case "boot":
		return p.Ramdisk != Ramdisk{} || f.DeployInterface() != f.Node.DeployInterface
	case "deploy":
		return f.DeployInterface() != f.Node.DeployInterface || p.Image != Image{} || p.RootDevice.Hints.Given() || p.Ramdisk != Ramdisk{}
	}
	return false
}

func checkValidate(f *Facts) finding {
	if f.ValidateError != "" {
		return unknown("Ironic did not validate the node: "+f.ValidateError, "ironworks validate "+f.Node.Label())
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
		return bad("Ironic finds "+strings.Join(failed, ", ")+" not valid", "ironworks validate "+f.Node.Label()+" shows it again", evidence...)
	case len(later) > 0:
		return unknown(strings.Join(later, ", ")+" is not valid now; the plan changes that, and Ironic is asked again before it is sent", "", evidence...)
	case len(f.Validations) == 0:
		return unknown("Ironic's validation has no interfaces", "")
	}
	return good("Ironic finds everything valid that a deployment needs")
}

// checkKernelParams: which release has the grammar cannot be told from the API version,
// only that the old generation has not.
func checkKernelParams(f *Facts) finding {
	value, from := f.Plan.Ramdisk.Params, "ramdisk.params"
	if value == "" {
		value, from = models.TextOf(f.Node.InstanceInfo["kernel_append_params"]), "instance_info.kernel_append_params"
	}
	if value == "" {
		value, from = models.TextOf(f.Node.DriverInfo["kernel_append_params"]), "driver_info.kernel_append_params"
	}
	if value == "" {
		return finding{}
	}
	at := models.Observed(from, value)
	err := models.CheckKernelAppendParams(value, "nofb vga=normal")
	switch {
	case err == nil:
		return good("they can be read", at)
	case hints.GenerationOf(f.Version) == hints.GenerationOld:
		return unknown("an Ironic of 37 or later would refuse them, and this one is older: "+err.Error(), "KEY, KEY=VALUE or KEY=\"VALUE WITH BLANKS\", blanks between", at)
	}
	return bad("Ironic refuses them since 37: "+err.Error(), "KEY, KEY=VALUE or KEY=\"VALUE WITH BLANKS\", blanks between", at)
}
