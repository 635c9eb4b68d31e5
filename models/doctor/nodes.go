package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/plan"
)

// byCount are the counts of a tally in words, the most first.
func byCount[K ~string](counts map[K]int) []string {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b K) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	var list []string
	for _, k := range keys {
		list = append(list, fmt.Sprintf("%d %s", counts[k], models.OrNone(string(k))))
	}
	return list
}

func judgeNodes(f *Facts) Diagnosis {
	t := f.Nodes
	switch {
	case t == nil && f.NodesError != "":
		return notTold("the nodes could not be listed: " + f.NodesError)
	case t == nil:
		return notTold("the nodes were not listed: there was no time left")
	case f.NodesError != "":
		return notTold(fmt.Sprintf("no more than %s could be listed: %s", models.Counted(t.Count, "node"), f.NodesError))
	case t.Count == 0:
		return well("no nodes are enrolled, or none that we may see")
	}
	evidence := []models.Observation{models.Observed("drivers", strings.Join(byCount(t.Drivers), ", "))}
	text := models.Counted(t.Count, "node") + ": " + strings.Join(byCount(t.States), ", ")
	if t.Maintenance > 0 {
		text += fmt.Sprintf("; %d in maintenance", t.Maintenance)
	}
	for s := range t.States {
		if s.Failed() {
			evidence = append(evidence, models.Observed("why they failed", "ironworks explain NODE"))
			break
		}
	}
	return well(text, evidence...)
}

// anyNodes says that there are nodes to judge.
func (f *Facts) anyNodes() bool { return f.Nodes != nil && f.Nodes.Count > 0 }

func judgeNodesDeploy(f *Facts) []Diagnosis {
	if !f.anyNodes() {
		return nil
	}
	t := f.Nodes
	at := models.Observed("deploy_interface", strings.Join(byCount(t.Deploy), ", "))
	if other := t.Count - t.Deploy["custom-agent"]; other > 0 {
		return []Diagnosis{well(fmt.Sprintf("%d of %s have another deploy interface than custom-agent: a deployment of CoreOS sets it", other, models.Counted(t.Count, "node")), at)}
	}
	return []Diagnosis{well("all nodes have the deploy interface custom-agent", at)}
}

func judgeNodesRamdisk(f *Facts) []Diagnosis {
	if !f.anyNodes() {
		return nil
	}
	t := f.Nodes
	if len(t.NoRamdisk) == 0 {
		return []Diagnosis{well("no node is without a ramdisk to boot", models.Observed("deploy ISOs", len(t.ISOs)))}
	}
	return []Diagnosis{doubtful(
		fmt.Sprintf("%d of %s have no ramdisk of their own: neither a deploy ISO nor a kernel with its ramdisk", len(t.NoRamdisk), models.Counted(t.Count, "node")),
		"ironworks ignition apply sets one, or a plan has it; Ironic's configuration may have one for all, which ironworks validate NODE tells",
		models.Observed("nodes", someOf(t.NoRamdisk)))}
}

func judgeNodesInspection(f *Facts) []Diagnosis {
	if !f.anyNodes() {
		return nil
	}
	t := f.Nodes
	at := models.Observed("inspect_interface", strings.Join(byCount(t.Inspect), ", "))
	if t.Inspect["agent"] == t.Count {
		return []Diagnosis{well("the agent inspects all nodes", at)}
	}
	return []Diagnosis{well(fmt.Sprintf("the agent inspects %d of %s", t.Inspect["agent"], models.Counted(t.Count, "node")), at)}
}

// judgeFleetISOs: what others will be deployed with some day is worth a look, no more.
func judgeFleetISOs(f *Facts) []Diagnosis {
	var all []Diagnosis
	for i := range f.ISOs {
		d := judgeFile(&f.ISOs[i])
		if d.Result == Fail {
			d.Result = Warn
		}
		d.Evidence = append(d.Evidence, models.Observed("nodes", f.ISOs[i].Nodes))
		all = append(all, d)
	}
	if f.Nodes != nil {
		if more := len(f.Nodes.ISOs) - len(f.ISOs); more > 0 {
			all = append(all, notTold(fmt.Sprintf("%d more were not asked for: name nodes to have theirs checked", more)))
		}
	}
	return all
}

// isoMark is what an image of ISO 9660 has at isoMarkAt: ECMA-119, 8.4, in the first sector
// that is not the system's.
const (
	isoMark   = "CD001"
	isoMarkAt = 16*2048 + 1
)

// BootFileHead is how much of a file has to be read to know what it is.
const BootFileHead = 17 * 2048

// judgeFile says whether a file can be fetched, as far as that can be seen from here.
func judgeFile(b *plan.BootFile) Diagnosis {
	at := models.MaskURL(b.Address)
	what := string(b.Kind) + " " + at
	if !b.OnTheWeb() {
		return notTold("the "+what+" is not on the web: Ironic fetches it itself", models.Observed(b.Field, at))
	}
	if !b.Asked {
		return notTold("the "+what+" was not asked for: there was no time left", models.Observed(b.Field, at))
	}
	a := b.Answer
	evidence := a.Evidence(b.Field, b.Address)
	size := "of a size that the server does not tell"
	if b.Total >= 0 {
		size = models.FormatBytes(b.Total)
		evidence = append(evidence, models.Observed("bytes", b.Total))
	}
	hint := "correct " + b.Field + ", or put the file there"
	var d Diagnosis
	switch {
	case a.Error != "":
		d = notTold("the "+what+" cannot be asked for from here: "+a.Error, evidence...)
		d.Hint = plan.AskElsewhere
		return d
	case a.NeedsLogin():
		d = notTold(fmt.Sprintf("the server does not let this machine in (%d): %s", a.Status, what), evidence...)
		d.Hint = plan.AskElsewhere
		return d
	case a.Status != plan.StatusOK:
		return broken(fmt.Sprintf("the server answers %d for the %s", a.Status, what), hint, evidence...)
	case b.Total == 0:
		return broken("the "+what+" is empty", hint, evidence...)
	case strings.HasPrefix(strings.TrimSpace(string(b.Head)), "<"):
		return broken("the "+what+" is an HTML page", hint, evidence...)
	case b.Kind == plan.BootISO && len(b.Head) == 0:
		return notTold("the "+what+" is there, and nothing of it could be read", evidence...)
	case b.Kind == plan.BootISO && !IsISO(b.Head):
		return broken("the "+what+" is no ISO image", hint, evidence...)
	}
	return well(fmt.Sprintf("the %s can be fetched, %s", what, size), evidence...)
}

// IsISO says that a file with such a beginning is an image of ISO 9660; [BootFileHead] bytes
// are enough.
func IsISO(head []byte) bool {
	return len(head) >= isoMarkAt+len(isoMark) && string(head[isoMarkAt:isoMarkAt+len(isoMark)]) == isoMark
}

func judgeNamed(f *Facts) []Diagnosis {
	var all []Diagnosis
	for i := range f.Named {
		all = append(all, f.judgeNode(&f.Named[i]))
	}
	return all
}

// WebImage is the node's image, if a web server has it.
func (n *NamedNode) WebImage() (plan.Image, bool) {
	return (&plan.Facts{Node: n.Node, Kind: plan.KindDirect}).WebImage()
}

// judgeNode asks of a node what a check before its deployment asks, without its BMC.
func (f *Facts) judgeNode(named *NamedNode) Diagnosis {
	n := named.Node
	if n == nil {
		return broken(named.Name+": "+named.Error, "")
	}
	facts := &plan.Facts{Now: f.Now, Version: f.Version, Node: n, Drivers: f.Drivers, DriversError: f.DriversError, Conductors: f.Conductors, ConductorsError: f.ConductorsError}
	if _, direct := named.WebImage(); !direct || n.DeployInterface != "direct" {
		facts.Plan.DeployInterface = "custom-agent"
	}
	evidence := []models.Observation{
		models.Observed("provision_state", n.ProvisionState), models.Observed("driver", n.Driver), models.Observed("deploy_interface", n.DeployInterface),
		models.Observed("boot_interface", n.BootInterface), models.Observed("inspect_interface", n.InspectInterface),
	}
	label := n.Label()
	for _, id := range []plan.CheckID{plan.CheckConductor, plan.CheckDeployInterface} {
		check, asked := facts.Check(id)
		switch evidence = append(evidence, check.Evidence...); {
		case !asked, check.Severity == plan.CheckOK:
			continue
		case check.Severity == plan.CheckUnknown:
			return notTold(label+": "+check.Text, evidence...)
		default:
			return broken(label+": "+check.Text, check.WayOut, evidence...)
		}
	}
	if n.Maintenance {
		return doubtful(label+" is in maintenance", "ironworks maintenance off "+label, append(evidence, models.Observed("maintenance_reason", n.MaintenanceReason))...)
	}
	if n.ProvisionState.Failed() {
		return doubtful(fmt.Sprintf("%s is %s", label, n.ProvisionState), "ironworks explain "+label, evidence...)
	}
	return well(fmt.Sprintf("%s is %s; conductor and deploy interface are there", label, n.ProvisionState), evidence...)
}

func judgeNamedRamdisks(f *Facts) []Diagnosis {
	var all []Diagnosis
	for i := range f.Named {
		named := &f.Named[i]
		if named.Node == nil {
			continue
		}
		label := named.Node.Label()
		if len(named.Files) == 0 && named.Node.BootInterface != "fake" {
			all = append(all, doubtful(label+" has no ramdisk of its own: neither a deploy ISO nor a kernel with its ramdisk",
				"ironworks ignition apply sets one, or a plan has it; Ironic's configuration may have one for all, which ironworks validate "+label+" tells",
				models.Observed("driver_info.deploy_iso", "none"), models.Observed("driver_info.deploy_kernel", "none")))
		}
		for j := range named.Files {
			d := judgeFile(&named.Files[j])
			d.Title = label + ": " + d.Title
			all = append(all, d)
		}
	}
	return all
}

// judgeNamedImages asks what a check before a direct deployment asks.
func judgeNamedImages(f *Facts) []Diagnosis {
	var all []Diagnosis
	for i := range f.Named {
		named := &f.Named[i]
		if named.Node == nil || named.ImageFacts == nil {
			continue
		}
		facts := &plan.Facts{Now: f.Now, Node: named.Node, Kind: plan.KindDirect, Image: named.ImageFacts}
		for _, id := range []plan.CheckID{plan.CheckImageThere, plan.CheckImageFile} {
			check, asked := facts.Check(id)
			title := named.Node.Label() + ": " + check.Text
			switch {
			case !asked:
			case check.Severity == plan.CheckOK:
				all = append(all, well(title, check.Evidence...))
			case check.Severity == plan.CheckUnknown:
				d := notTold(title, check.Evidence...)
				d.Hint = check.WayOut
				all = append(all, d)
			default:
				all = append(all, broken(title, check.WayOut, check.Evidence...))
			}
		}
	}
	return all
}
