package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/hints"
)

// checkHints validates the hints. It considers both Ironic and the agent, because each of them rejects some hints
// that the other accepts.
func checkHints(f *Facts) finding {
	if !f.Kind.PicksDisk() && f.Kind != KindAssisted || !f.Hints.Hints.IsSet() {
		return finding{}
	}
	at := models.Observed(f.hintsPlace(), f.Hints.Hints)
	wrong := f.hintProblems(hints.Fails)
	// Ironic validates the hints at the start of the deployment. The agent may reject them later.
	if err := f.Hints.Hints.Parse(hints.GenerationOf(f.Version)); err != nil && wrong == nil {
		wrong = append(wrong, "rejected by the agent: "+err.Error())
	}
	if f.Kind == KindAnsible {
		wrong = append(wrong, ansibleOperators(f.Hints.Hints)...)
	}
	if wrong != nil {
		return fail(strings.Join(wrong, "; "), "test hints with ironworks hints match; save hints with ironworks hints set", at).
			onScreen(editHints)
	}
	return pass("accepted by Ironic and the agent", at)
}

// ansibleOperators returns a problem for each hint that Ansible cannot match. Ansible compares values for equality,
// and does not know any other operators (ironic/drivers/modules/ansible/deploy.py, _parse_root_device_hints).
func ansibleOperators(h hints.Hints) []string {
	var wrong []string
	for _, name := range h.Names() {
		operator, _, found := strings.Cut(h.Expression(name), " ")
		if found && strings.ContainsAny(operator, "=<>") && operator != "==" && operator != "s==" {
			wrong = append(wrong, fmt.Sprintf("%s: Ansible does not support the operator %s", name, operator))
		}
	}
	return wrong
}

func (f *Facts) hintsPlace() string { return string(f.Hints.Source) + ".root_device" }

// hintProblems returns the problems with the given severity that can be found in the hints themselves.
func (f *Facts) hintProblems(severity hints.Severity) []string {
	var texts []string
	for _, p := range f.Hints.Hints.Lint(hints.GenerationOf(f.Version)) {
		if p.Severity == severity {
			texts = append(texts, strings.TrimPrefix(string(p.Hint)+": "+p.Text, ": "))
		}
	}
	return texts
}

// Remedies that refer to the wizard's Root disk page.
const (
	pickDisk  = "on the Root disk page: pick a disk, or edit the hints"
	editHints = "on the Root disk page: edit the hints"
)

func checkHintsDoubt(f *Facts) finding {
	if !f.Kind.PicksDisk() || !f.Hints.Hints.IsSet() {
		return finding{}
	}
	if doubts := f.hintProblems(hints.Doubtful); doubts != nil {
		return fail(strings.Join(doubts, "; "), "", models.Observed(f.hintsPlace(), f.Hints.Hints))
	}
	return finding{}
}

func checkHintsPlaces(f *Facts) finding {
	h := f.Hints
	if !f.Kind.PicksDisk() || !h.Instance.IsSet() || !h.Properties.IsSet() || h.Instance.String() == h.Properties.String() {
		return finding{}
	}
	return fail("instance_info and properties both have hints; instance_info takes precedence", "",
		models.Observed("instance_info.root_device", h.Instance), models.Observed("properties.root_device", h.Properties))
}

func checkInventory(f *Facts) finding {
	if !f.Kind.PicksDisk() {
		return finding{}
	}
	inspect, keys := "ironworks manage, inspect and provide "+f.Node.Label(), "on the node: run :manage, :inspect and :provide"
	if f.Rebuilds() {
		keys = ""
		inspect = "undeploy the node and inspect it, or check its disks another way"
	}
	inspected := models.InspectedAt(f.Node)
	when := f.sawAt(inspected, "inspection_finished_at", inspected.UTC().Format(time.RFC3339))
	switch {
	case f.InventoryError != "":
		return fail("the inventory could not be read: "+f.InventoryError, inspect).onScreen(keys)
	case f.Inventory == nil:
		return fail("no inventory for the node: disks unknown", inspect, models.Observed("inventory", "none")).onScreen(keys)
	case len(f.Inventory.Disks) == 0:
		return fail("inspection found no disks", inspect, models.Observed("inventory.disks", "none")).onScreen(keys)
	case inspected.IsZero():
		return unknown("time of inspection unknown", inspect, models.Observed("inspection_finished_at", "none")).onScreen(keys)
	case f.MaxInventoryAge > 0 && f.Now.Sub(inspected) > f.MaxInventoryAge:
		return fail(fmt.Sprintf("the inventory is %s old: disks may have been swapped or renamed", models.AgeInWords(f.Now.Sub(inspected))), inspect, when).onScreen(keys)
	}
	if changed := raidChanged(f.Node); changed.After(inspected) {
		return fail("the RAID changed after the inspection", inspect, when, f.sawAt(changed, "raid_config.last_updated", changed.UTC().Format(time.RFC3339))).onScreen(keys)
	}
	return pass(fmt.Sprintf("%d disks", len(f.Inventory.Disks)), when)
}

// raidChanged returns the time when Ironic last changed the node's RAID configuration, or zero if it never did.
func raidChanged(n *models.Node) time.Time {
	var fields struct {
		RAID struct {
			Updated models.Time `json:"last_updated"`
		} `json:"raid_config"`
	}
	if json.Unmarshal(n.Raw, &fields) != nil {
		return time.Time{}
	}
	return fields.RAID.Updated.Time
}

func (f *Facts) looksAtDisks() bool {
	return f.Kind.PicksDisk() && f.Inventory != nil && len(f.Inventory.Disks) > 0
}

func checkInventoryBy(f *Facts) finding {
	if !f.looksAtDisks() {
		return finding{}
	}
	if f.Inventory.OutOfBand() {
		return fail("the disk list comes from the BMC: the ramdisk may see different disks and names",
			"inspect in band: ironworks set "+f.Node.Label()+" inspect_interface=agent", models.Observed("inventory.disks", diskNames(f.Inventory.Disks))).
			onScreen("inspect in band: " + models.RunKey("set", "inspect_interface=agent"))
	}
	return pass("the agent reported the disks")
}

// unreportedHints returns the hints whose attributes are missing from an inventory read from the BMC. It returns nil
// for other inventories. The effect of the returned hints is unknown, because the agent compares hints with the
// attributes that its ramdisk reports.
func (f *Facts) unreportedHints() []hints.Hint {
	if !f.Inventory.OutOfBand() {
		return nil
	}
	return f.Inventory.Unreported(f.Hints.Hints.Names())
}

func checkRootDevice(f *Facts) finding {
	switch {
	case !f.Kind.PicksDisk():
		return finding{}
	case !f.looksAtDisks():
		return unknown("no inventory: target disk unknown", "")
	}
	e := f.search().Explain(f.Inventory.Disks)
	matching := e.Matching()
	evidence := []models.Observation{models.Observed("hints", orNoHints(f.Hints))}
	for _, d := range e.Disks {
		evidence = append(evidence, models.Observed(diskLine(&d.Disk), d.Why))
	}
	pin := "ironworks hints set " + f.Node.Label() + " --disk NAME, or --root-device JSON"
	switch {
	case f.Kind == KindAnsible && !f.Hints.Hints.IsSet() && len(e.Disks) > 1:
		return fail(fmt.Sprintf("no hints and %d disks: Ansible would pick the first by name", len(e.Disks)), pin, evidence...).onScreen(pickDisk)
	case f.unreportedHints() != nil:
		return fail(fmt.Sprintf("the inventory is from the BMC, which does not report %s: target disk unknown", hints.Join(f.unreportedHints())),
			"use a hint the BMC reports, or inspect in band: ironworks set "+f.Node.Label()+" inspect_interface=agent", evidence...).
			onScreen("use a hint the BMC reports, or inspect in band: " + models.RunKey("set", "inspect_interface=agent"))
	case e.Picks == "" && f.Hints.Hints.IsSet():
		return fail("no disk matches the hints"+f.missHelp(), pin, evidence...).onScreen(pickDisk)
	case e.Picks == "":
		return fail("no suitable disk: "+e.Error, "", evidence...)
	case len(matching) > 1 && f.Hints.Hints.IsSet():
		return fail(fmt.Sprintf("%d disks match the hints; the agent would pick the first, %s", len(matching), e.Picks), pin, evidence...).onScreen(pickDisk)
	case len(matching) > 1:
		return fail(fmt.Sprintf("no hints and %d suitable disks: the agent would pick the smallest, %s", len(matching), e.Picks), pin, evidence...).onScreen(pickDisk)
	}
	return pass("target disk "+e.Picks, evidence...)
}

func diskNames(disks []hints.Disk) string {
	names := make([]string, len(disks))
	for i := range disks {
		names[i] = disks[i].Name
	}
	return strings.Join(names, ", ")
}

func orNoHints(h hints.NodeHints) string {
	if !h.Hints.IsSet() {
		return "none"
	}
	return h.Hints.String()
}

func diskLine(d *hints.Disk) string {
	return strings.TrimSpace(fmt.Sprintf("%s %.1f GiB %s", d.Name, d.GiB(), d.Serial))
}

// missHelp returns a remark to append to the message that no disk matches the hints. The remark says why the agent's
// result may differ. It is "" if there is no known reason.
func (f *Facts) missHelp() string {
	names := f.Hints.Hints.Names()
	has := func(rootHints ...hints.Hint) bool {
		return slices.ContainsFunc(names, func(h hints.Hint) bool { return slices.Contains(rootHints, h) })
	}
	switch {
	case has(hints.Serial, hints.WWN, hints.WWNWithExtension, hints.WWNVendorExtension):
		return " (the agent reads more serials and WWNs than the inventory lists, and may still find the disk)"
	case has(hints.HCTL):
		return " (host adapter numbers may change with every boot)"
	}
	return ""
}
