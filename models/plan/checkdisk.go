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

// checkHints: Ironic takes hints that the agent then fails over, and the other way
// round.
func checkHints(f *Facts) finding {
	if !f.Kind.PicksDisk() && f.Kind != KindAssisted || !f.Hints.Hints.Given() {
		return finding{}
	}
	at := models.Observed(f.hintsPlace(), f.Hints.Hints)
	by := hints.GenerationOf(f.Version)
	var wrong []string
	for _, p := range f.Hints.Hints.Lint(by) {
		if p.Severity == hints.Fails {
			wrong = append(wrong, problemText(p))
		}
	}
	// Ironic validates hints that it takes; what the agent alone refuses fails later.
	if err := f.Hints.Hints.Parse(by); err != nil && wrong == nil {
		wrong = append(wrong, "the agent refuses them: "+err.Error())
	}
	if f.Kind == KindAnsible {
		wrong = append(wrong, ansibleOperators(f.Hints.Hints)...)
	}
	if wrong != nil {
		return bad(strings.Join(wrong, "; "), "ironworks hints match tries hints; ironworks hints set writes them", at)
	}
	return good("Ironic and the agent take them", at)
}

// ansibleOperators are the hints that Ansible cannot match: it compares values and knows no
// operators (_parse_root_device_hints of ironic/drivers/modules/ansible/deploy.py).
func ansibleOperators(h hints.Hints) []string {
	var wrong []string
	for _, name := range h.Names() {
		operator, _, found := strings.Cut(h.Expression(name), " ")
		if found && strings.ContainsAny(operator, "=<>") && operator != "==" && operator != "s==" {
			wrong = append(wrong, fmt.Sprintf("%s: Ansible does not know the operator %s", name, operator))
		}
	}
	return wrong
}

func (f *Facts) hintsPlace() string { return string(f.Hints.Source) + ".root_device" }

func problemText(p hints.Problem) string {
	if p.Hint == "" {
		return p.Text
	}
	return string(p.Hint) + ": " + p.Text
}

func checkHintsDoubt(f *Facts) finding {
	if !f.Kind.PicksDisk() || !f.Hints.Hints.Given() {
		return finding{}
	}
	var doubts []string
	for _, p := range f.Hints.Hints.Lint(hints.GenerationOf(f.Version)) {
		if p.Severity == hints.Doubtful {
			doubts = append(doubts, problemText(p))
		}
	}
	if doubts != nil {
		return bad(strings.Join(doubts, "; "), "", models.Observed(f.hintsPlace(), f.Hints.Hints))
	}
	return finding{}
}

func checkHintsPlaces(f *Facts) finding {
	h := f.Hints
	if !f.Kind.PicksDisk() || !h.Instance.Given() || !h.Properties.Given() || h.Instance.String() == h.Properties.String() {
		return finding{}
	}
	return bad("two places have hints; those of instance_info count", "",
		models.Observed("instance_info.root_device", h.Instance), models.Observed("properties.root_device", h.Properties))
}

func checkInventory(f *Facts) finding {
	if !f.Kind.PicksDisk() {
		return finding{}
	}
	inspect := "ironworks manage, inspect and provide " + f.Node.Label()
	if f.Rebuilds() {
		inspect = "a node is inspected before it is deployed: undeploy it, or see what else tells its disks"
	}
	inspected := models.InspectedAt(f.Node)
	when := f.sawAt(inspected, "inspection_finished_at", inspected.UTC().Format(time.RFC3339))
	switch {
	case f.InventoryError != "":
		return bad("the inventory could not be read: "+f.InventoryError, inspect)
	case f.Inventory == nil:
		return bad("Ironic has no inventory of the node, so its disks are not known", inspect, models.Observed("inventory", "none"))
	case len(f.Inventory.Disks) == 0:
		return bad("inspection found no disks", inspect, models.Observed("inventory.disks", "none"))
	case inspected.IsZero():
		return unknown("it is not known when the node was inspected", inspect, models.Observed("inspection_finished_at", "none"))
	case f.MaxInventoryAge > 0 && f.Now.Sub(inspected) > f.MaxInventoryAge:
		return bad(fmt.Sprintf("the inventory is %s old: disks are swapped, and names go to others", models.AgeInWords(f.Now.Sub(inspected))), inspect, when)
	}
	if changed := raidChanged(f.Node); changed.After(inspected) {
		return bad("the RAID was changed after the inspection", inspect, when, f.sawAt(changed, "raid_config.last_updated", changed.UTC().Format(time.RFC3339)))
	}
	return good(fmt.Sprintf("%d disks", len(f.Inventory.Disks)), when)
}

// raidChanged is when Ironic last changed the RAID of a node; zero when never.
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
		return bad("the BMC told the disks: the ramdisk may see others, and calls them by other names",
			"inspect in band: ironworks set "+f.Node.Label()+" inspect_interface=agent", models.Observed("inventory.disks", diskNames(f.Inventory.Disks)))
	}
	return good("an agent looked at the disks")
}

// untold are hints that ask for what the BMC's inventory does not tell. What a ramdisk
// does not report, its agent does not find at the deployment either.
func (f *Facts) untold() []hints.Hint {
	if !f.Inventory.OutOfBand() {
		return nil
	}
	return f.Inventory.Untold(f.Hints.Hints.Names())
}

func checkRootDevice(f *Facts) finding {
	switch {
	case !f.Kind.PicksDisk():
		return finding{}
	case !f.looksAtDisks():
		return unknown("without an inventory it is not known which disk it would be", "")
	}
	e := f.search().Explain(f.Inventory.Disks)
	matching := e.Matching()
	evidence := []models.Observation{models.Observed("hints", orNoHints(f.Hints))}
	for _, d := range e.Disks {
		evidence = append(evidence, models.Observed(diskLine(&d.Disk), d.Why))
	}
	pin := "ironworks hints set " + f.Node.Label() + " --disk NAME, or --root-device JSON"
	switch {
	case f.Kind == KindAnsible && !f.Hints.Hints.Given() && len(e.Disks) > 1:
		return bad(fmt.Sprintf("there are no hints, and %d disks; Ansible would take the first by name", len(e.Disks)), pin, evidence...)
	case f.untold() != nil:
		return bad(fmt.Sprintf("the inventory is the BMC's, which does not tell %s: the disk that the hints choose is unknown", hints.Join(f.untold())),
			"hint at its serial or size, or inspect in band: ironworks set "+f.Node.Label()+" inspect_interface=agent", evidence...)
	case e.Picks == "" && f.Hints.Hints.Given():
		return bad("no disk matches the hints"+f.missHelp(), pin, evidence...)
	case e.Picks == "":
		return bad("no disk can be installed to: "+e.Error, "", evidence...)
	case len(matching) > 1 && f.Hints.Hints.Given():
		return bad(fmt.Sprintf("%d disks match the hints; the agent would take the first, %s", len(matching), e.Picks), pin, evidence...)
	case len(matching) > 1:
		return bad(fmt.Sprintf("there are no hints, and %d disks that would do; the agent would take the smallest, %s", len(matching), e.Picks), pin, evidence...)
	}
	return good("it is "+e.Picks, evidence...)
}

func diskNames(disks []hints.Disk) string {
	names := make([]string, len(disks))
	for i := range disks {
		names[i] = disks[i].Name
	}
	return strings.Join(names, ", ")
}

func orNoHints(h hints.NodeHints) string {
	if !h.Hints.Given() {
		return "none"
	}
	return h.Hints.String()
}

func diskLine(d *hints.Disk) string {
	return strings.TrimSpace(fmt.Sprintf("%s %.1f GiB %s", d.Name, d.GiB(), d.Serial))
}

// missHelp says what is worth knowing where hints match nothing.
func (f *Facts) missHelp() string {
	names := f.Hints.Hints.Names()
	has := func(rootHints ...hints.Hint) bool {
		return slices.ContainsFunc(names, func(h hints.Hint) bool { return slices.Contains(rootHints, h) })
	}
	switch {
	case has(hints.Serial, hints.WWN, hints.WWNWithExtension, hints.WWNVendorExtension):
		return " (the agent knows more serials and WWNs of a disk than the inventory tells, and may still find it)"
	case has(hints.HCTL):
		return " (the number of a host adapter may change with every boot)"
	}
	return ""
}
