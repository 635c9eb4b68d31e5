package plan

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
)

func checkSingleDisk(f *Facts) finding {
	if !f.looksAtDisks() || f.Hints.Hints.Given() {
		return finding{}
	}
	e := f.search().Explain(f.Inventory.Disks)
	if matching := e.Matching(); len(matching) == 1 {
		return bad("there are no hints, and one disk only: another one, once it is there, may be taken instead",
			"ironworks hints set "+f.Node.Label()+" --disk "+e.Picks, models.Observed("disk", diskLine(&matching[0])))
	}
	return finding{}
}

// checkStableHint: names and places of disks change with the kernel's mood, models and
// sizes fit the disk beside it as well.
func checkStableHint(f *Facts) finding {
	target := f.Target()
	if target == nil || !f.Hints.Hints.Given() {
		return finding{}
	}
	names := f.Hints.Hints.Names()
	for _, stable := range []hints.Hint{hints.WWN, hints.Serial, hints.WWNWithExtension, hints.WWNVendorExtension} {
		if slices.Contains(names, stable) {
			return good("the disk is told by its "+string(stable), models.Observed(string(stable), f.Hints.Hints.Expression(stable)))
		}
	}
	if len(names) == 1 && names[0] == hints.Name && strings.HasPrefix(target.Name, "/dev/md") {
		return good("a RAID volume keeps its name", models.Observed("name", target.Name))
	}
	return bad("the disk is told by "+hints.Join(names)+" only, which another one may have the next time",
		"ironworks hints set "+f.Node.Label()+" --disk "+target.Name, models.Observed(f.hintsPlace(), f.Hints.Hints))
}

// sameDisk says that two disks are one: their wwn, or serial and model, are the same.
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
		return bad("the disk is on a storage network: others may use it", "pick a local disk", models.Observed("tran", target.Transport), models.Observed("disk", diskLine(target)))
	}
	for _, o := range f.Others {
		if o.Node.UUID == f.Node.UUID {
			continue
		}
		for i := range o.Disks {
			if by, is := sameDisk(target, &o.Disks[i]); is {
				return bad("node "+o.Node.Label()+" has the disk, too: it is shared", "pick a local disk", models.Observed("disk", diskLine(target)), models.Observed(o.Node.Label(), by))
			}
		}
	}
	if f.OthersError != "" {
		return unknown("not every node's disks could be looked at: "+f.OthersError, "", models.Observed("nodes looked at", len(f.Others)))
	}
	return good("no other node has it", models.Observed("nodes looked at", len(f.Others)))
}

// checkDataDisk: the register is a list of what tells the disks.
func checkDataDisk(f *Facts) finding {
	target := f.Target()
	register, _ := f.extra("data_disks").([]any)
	if target == nil || len(register) == 0 {
		return finding{}
	}
	for _, entry := range register {
		if target.Named(entry) {
			return bad("the disk is registered as one that holds data", "take it out of extra.data_disks, or pick another disk",
				models.Observed("disk", diskLine(target)), models.Observed("extra.data_disks", entry))
		}
	}
	return good("it is not registered", models.Observed("extra.data_disks", register))
}

// minUsualDisk is what a disk of a server has at least.
const minUsualDisk = 16 * hints.GiB

func checkOddDisk(f *Facts) finding {
	target := f.Target()
	if target == nil {
		return finding{}
	}
	var odd []string
	if strings.EqualFold(target.Transport, "usb") {
		odd = append(odd, "it is on USB")
	}
	words := strings.FieldsFunc(strings.ToLower(target.Model), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	for _, word := range []string{"virtual", "lun", "sd", "idrac", "ilo"} {
		if slices.Contains(words, word) {
			odd = append(odd, "its model says "+word)
		}
	}
	if target.Size < minUsualDisk {
		odd = append(odd, "it has less than 16 GiB")
	}
	at := models.Observed("disk", strings.TrimSpace(diskLine(target)+" "+target.Model))
	if odd != nil {
		return bad("the disk is an odd one: "+strings.Join(odd, ", "), "see whether it is meant: ironworks disks "+f.Node.Label(), at)
	}
	return good("a usual disk", at)
}

func checkSameDisk(f *Facts) finding {
	target := f.Target()
	last := hints.RootDiskOf(f.Node)
	if target == nil || !last.Given() {
		return finding{}
	}
	at := []models.Observation{models.Observed("disk", diskLine(target)), models.Observed("extra.console.root_disk", last)}
	if last.Is(target) {
		return good("the same disk as the last time", at...)
	}
	return bad("another disk than the last time", "see whether it is meant: ironworks disks "+f.Node.Label(), at...)
}

func checkRAIDRoot(f *Facts) finding {
	if !f.Kind.PicksDisk() {
		return finding{}
	}
	if volume := models.RAIDRoot(f.Node); volume != "" {
		return bad("a deployment that creates the RAID installs to "+volume+", whatever the hints say", "", models.Observed("target_raid_config", volume))
	}
	return finding{}
}

func checkAssisted(f *Facts) finding {
	if f.Kind != KindAssisted {
		return finding{}
	}
	return bad("the Assisted Installer's agent picks the disk itself, whatever the hints say", "choose the disk in the Assisted Installer",
		models.Observed("hints", orNoHints(f.Hints)))
}

// checkKickstart: anaconda asks no root device hints. The template that Ironic ships
// (ironic/drivers/modules/ks.cfg.template) says clearpart --all.
func checkKickstart(f *Facts) finding {
	if f.Kind != KindAnaconda {
		return finding{}
	}
	template := models.Observed("instance_info.ks_template", models.OrNone(models.TextOf(f.Node.InstanceInfo["ks_template"])))
	erases := "the kickstart chooses the disks, whatever the hints say; the one that Ironic ships erases all of them"
	switch {
	case f.Inventory == nil || len(f.Inventory.Disks) == 0:
		return bad(erases, "inspect the node, and see that the kickstart names the disk", template)
	case len(f.Inventory.Disks) > 1:
		return bad(fmt.Sprintf("%s: here %d", erases, len(f.Inventory.Disks)), "see that the kickstart names the disk", template)
	}
	return good("there is one disk", template, models.Observed("disk", diskLine(&f.Inventory.Disks[0])))
}
