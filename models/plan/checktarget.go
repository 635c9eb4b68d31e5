package plan

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
)

const (
	pickTarget  = "on the Root disk page: pick "
	confirmDisk = "confirm the disk on the Root disk page"
)

func checkSingleDisk(f *Facts) finding {
	if !f.looksAtDisks() || f.Hints.Hints.IsSet() {
		return finding{}
	}
	e := f.search().Explain(f.Inventory.Disks)
	if matching := e.Matching(); len(matching) == 1 {
		return fail("no hints and a single disk: an added disk may be picked instead",
			"ironworks hints set "+f.Node.Label()+" --disk "+e.Picks, models.Observed("disk", diskLine(&matching[0]))).onScreen(pickTarget + e.Picks)
	}
	return finding{}
}

// checkStableHint warns about hints that may match another disk after a reboot, such as names. It also warns about
// hints that may match several disks, such as models and sizes.
func checkStableHint(f *Facts) finding {
	target := f.Target()
	if target == nil || !f.Hints.Hints.IsSet() {
		return finding{}
	}
	names := f.Hints.Hints.Names()
	for _, stable := range []hints.Hint{hints.WWN, hints.Serial, hints.WWNWithExtension, hints.WWNVendorExtension} {
		if slices.Contains(names, stable) {
			return pass("identified by "+string(stable), models.Observed(string(stable), f.Hints.Hints.Expression(stable)))
		}
	}
	if len(names) == 1 && names[0] == hints.Name && strings.HasPrefix(target.Name, "/dev/md") {
		return pass("a RAID volume keeps its name", models.Observed("name", target.Name))
	}
	return fail("identified by "+hints.Join(names)+" only, which may match another disk next time",
		"ironworks hints set "+f.Node.Label()+" --disk "+target.Name, models.Observed(f.hintsPlace(), f.Hints.Hints)).
		onScreen(pickTarget + target.Name)
}

// sameDisk reports whether d and o are the same disk, judging by their WWNs, or by their serial numbers and models.
// If so, by contains the attribute that they share, with its value.
func sameDisk(d *hints.Disk, o *hints.Disk) (by string, is bool) {
	eq := func(a, b string) bool {
		return strings.TrimSpace(a) != "" && strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
	}
	switch {
	case eq(d.WWNWithExtension, o.WWNWithExtension):
		return "wwn_with_extension " + d.WWNWithExtension, true
	case eq(d.WWN, o.WWN) && d.WWNWithExtension == "" && o.WWNWithExtension == "":
		return "wwn " + d.WWN, true
	case eq(d.Serial, o.Serial) && strings.EqualFold(d.Model, o.Model):
		return "serial " + d.Serial, true
	}
	return "", false
}

func checkSharedDisk(f *Facts) finding {
	target := f.Target()
	if target == nil {
		return finding{}
	}
	if bus := strings.ToLower(target.Transport); bus == "fc" || bus == "iscsi" {
		return fail("the disk is on a storage network: other machines may use it", "pick a local disk", models.Observed("tran", target.Transport), models.Observed("disk", diskLine(target)))
	}
	for _, o := range f.Others {
		if o.Node.UUID == f.Node.UUID {
			continue
		}
		for i := range o.Disks {
			if by, is := sameDisk(target, &o.Disks[i]); is {
				return fail("node "+o.Node.Label()+" has the same disk, so the disk is shared", "pick a local disk", models.Observed("disk", diskLine(target)), models.Observed(o.Node.Label(), by))
			}
		}
	}
	if f.OthersError != "" {
		return unknown("not all nodes' disks could be compared: "+f.OthersError, "", models.Observed("nodes compared", len(f.Others)))
	}
	return pass("not on another node", models.Observed("nodes compared", len(f.Others)))
}

// checkDataDisk checks that the target disk is not one of the registered data disks.
func checkDataDisk(f *Facts) finding {
	target := f.Target()
	register, _ := f.extra("data_disks").([]any)
	if target == nil || len(register) == 0 {
		return finding{}
	}
	for _, entry := range register {
		if target.Named(entry) {
			return fail("the disk is registered as a data disk", "remove the disk from extra.data_disks, or pick another disk",
				models.Observed("disk", diskLine(target)), models.Observed("extra.data_disks", entry))
		}
	}
	return pass("not registered", models.Observed("extra.data_disks", register))
}

// minUsualDisk is the size, in bytes, below which a disk is unusually small for a server.
const minUsualDisk = 16 * hints.GiB

func checkOddDisk(f *Facts) finding {
	target := f.Target()
	if target == nil {
		return finding{}
	}
	var odd []string
	if strings.EqualFold(target.Transport, "usb") {
		odd = append(odd, "on USB")
	}
	words := strings.FieldsFunc(strings.ToLower(target.Model), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	for _, word := range []string{"virtual", "lun", "sd", "idrac", "ilo"} {
		if slices.Contains(words, word) {
			odd = append(odd, "model "+word)
		}
	}
	if target.Size < minUsualDisk {
		odd = append(odd, "smaller than 16 GiB")
	}
	at := models.Observed("disk", strings.TrimSpace(diskLine(target)+" "+target.Model))
	if odd != nil {
		return fail("unusual root disk: "+strings.Join(odd, ", "), "confirm the disk: ironworks disks "+f.Node.Label(), at).onScreen(confirmDisk)
	}
	return pass("usual disk", at)
}

func checkSameDisk(f *Facts) finding {
	target := f.Target()
	last := hints.RootDiskOf(f.Node)
	if target == nil || !last.IsKnown() {
		return finding{}
	}
	at := []models.Observation{models.Observed("disk", diskLine(target)), models.Observed("extra.console.root_disk", last)}
	if last.Is(target) {
		return pass("same disk as last time", at...)
	}
	return fail("different disk from last time", "confirm the disk: ironworks disks "+f.Node.Label(), at...).onScreen(confirmDisk)
}

func checkRAIDRoot(f *Facts) finding {
	if !f.Kind.PicksDisk() {
		return finding{}
	}
	if volume := models.RAIDRoot(f.Node); volume != "" {
		return fail("the deployment creates the RAID and installs to "+volume+", ignoring the hints", "", models.Observed("target_raid_config", volume))
	}
	if s := f.raidStep(); s != nil {
		remedy := "run " + cleanStepOf(*s) + " in manual cleaning and inspect the node before the deployment"
		return fail(s.Label()+" changes the disks: the agent matches the hints against the new disks", remedy+": ironworks clean "+f.Node.Label(),
			models.Observed("hints", orNoHints(f.Hints))).onScreen(remedy)
	}
	return finding{}
}

// raidStep returns the first step that changes the RAID configuration before the installation, or nil.
func (f *Facts) raidStep() *models.Step {
	for _, s := range f.Order() {
		switch {
		case IsInstallStep(s.Step):
			return nil
		case s.Interface == "raid":
			return &s.Step
		}
	}
	return nil
}

func checkAssisted(f *Facts) finding {
	if f.Kind != KindAssisted {
		return finding{}
	}
	return fail("the Assisted Installer picks the disk itself and ignores the hints", "choose the disk in the Assisted Installer",
		models.Observed("hints", orNoHints(f.Hints)))
}

// checkKickstart warns that anaconda ignores root device hints. Ironic's default template
// (ironic/drivers/modules/ks.cfg.template) contains clearpart --all, which erases all disks.
func checkKickstart(f *Facts) finding {
	if f.Kind != KindAnaconda {
		return finding{}
	}
	template := models.Observed("instance_info.ks_template", models.OrNone(models.TextOf(f.Node.InstanceInfo["ks_template"])))
	erases := "the kickstart chooses the disks and ignores the hints; Ironic's default kickstart erases all disks"
	switch {
	case f.Inventory == nil || len(f.Inventory.Disks) == 0:
		return fail(erases, "inspect the node, and check that the kickstart names the disk", template)
	case len(f.Inventory.Disks) > 1:
		return fail(fmt.Sprintf("%s: %d on this node", erases, len(f.Inventory.Disks)), "check that the kickstart names the disk", template)
	}
	return pass("one disk", template, models.Observed("disk", diskLine(&f.Inventory.Disks[0])))
}
