package models

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// byCount are the counts of a tally in words, the most first.
func byCount[K ~string](counts map[K]int) []string {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b K) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	var list []string
	for _, k := range keys {
		list = append(list, fmt.Sprintf("%d %s", counts[k], orNone(string(k))))
	}
	return list
}

func judgeNodes(f *DoctorFacts) Diagnosis {
	t := f.Nodes
	switch {
	case t == nil && f.NodesError != "":
		return notTold("the nodes could not be listed: " + f.NodesError)
	case t == nil:
		return notTold("the nodes were not listed: there was no time left")
	case f.NodesError != "":
		return notTold(fmt.Sprintf("no more than %s could be listed: %s", counted(t.Count, "node"), f.NodesError))
	case t.Count == 0:
		return well("no nodes are enrolled, or none that we may see")
	}
	evidence := []CheckEvidence{saw("drivers", strings.Join(byCount(t.Drivers), ", "))}
	text := counted(t.Count, "node") + ": " + strings.Join(byCount(t.States), ", ")
	if t.Maintenance > 0 {
		text += fmt.Sprintf("; %d in maintenance", t.Maintenance)
	}
	for s := range t.States {
		if s.Failed() {
			evidence = append(evidence, saw("why they failed", "ironworks explain NODE"))
			break
		}
	}
	return well(text, evidence...)
}

// anyNodes says that there are nodes to judge.
func (f *DoctorFacts) anyNodes() bool { return f.Nodes != nil && f.Nodes.Count > 0 }

func judgeNodesDeploy(f *DoctorFacts) []Diagnosis {
	if !f.anyNodes() {
		return nil
	}
	t := f.Nodes
	at := saw("deploy_interface", strings.Join(byCount(t.Deploy), ", "))
	if other := t.Count - t.Deploy["custom-agent"]; other > 0 {
		return []Diagnosis{well(fmt.Sprintf("%d of %s have another deploy interface than custom-agent: a deployment of CoreOS sets it", other, counted(t.Count, "node")), at)}
	}
	return []Diagnosis{well("all nodes have the deploy interface custom-agent", at)}
}

func judgeNodesRamdisk(f *DoctorFacts) []Diagnosis {
	if !f.anyNodes() {
		return nil
	}
	t := f.Nodes
	if len(t.NoRamdisk) == 0 {
		return []Diagnosis{well("no node is without a ramdisk to boot", saw("deploy ISOs", len(t.ISOs)))}
	}
	return []Diagnosis{doubtful(
		fmt.Sprintf("%d of %s have no ramdisk of their own: neither a deploy ISO nor a kernel with its ramdisk", len(t.NoRamdisk), counted(t.Count, "node")),
		"ironworks ignition apply sets one, or a plan has it; Ironic's configuration may have one for all, which ironworks validate NODE tells",
		saw("nodes", someOf(t.NoRamdisk)))}
}

func judgeNodesInspection(f *DoctorFacts) []Diagnosis {
	if !f.anyNodes() {
		return nil
	}
	t := f.Nodes
	at := saw("inspect_interface", strings.Join(byCount(t.Inspect), ", "))
	if t.Inspect["agent"] == t.Count {
		return []Diagnosis{well("the agent inspects all nodes", at)}
	}
	return []Diagnosis{well(fmt.Sprintf("the agent inspects %d of %s", t.Inspect["agent"], counted(t.Count, "node")), at)}
}

// judgeFleetISOs: what others will be deployed with some day is worth a look, no more.
func judgeFleetISOs(f *DoctorFacts) []Diagnosis {
	var all []Diagnosis
	for i := range f.ISOs {
		d := f.ISOs[i].judge()
		if d.Result == DoctorFail {
			d.Result = DoctorWarn
		}
		d.Evidence = append(d.Evidence, saw("nodes", f.ISOs[i].Nodes))
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

// judge says whether a file can be fetched, as far as that can be seen from here.
func (b *BootFile) judge() Diagnosis {
	at := MaskURL(b.Address)
	what := string(b.Kind) + " " + at
	if !b.OnTheWeb() {
		return notTold("the "+what+" is not on the web: Ironic fetches it itself", saw(b.Field, at))
	}
	if !b.Asked {
		return notTold("the "+what+" was not asked for: there was no time left", saw(b.Field, at))
	}
	a := b.Answer
	evidence := a.evidence(b.Field, b.Address)
	size := "of a size that the server does not tell"
	if b.Total >= 0 {
		size = FormatBytes(b.Total)
		evidence = append(evidence, saw("bytes", b.Total))
	}
	hint := "correct " + b.Field + ", or put the file there"
	var d Diagnosis
	switch {
	case a.Error != "":
		d = notTold("the "+what+" cannot be asked for from here: "+a.Error, evidence...)
		d.Hint = elsewhere
		return d
	case a.closed():
		d = notTold(fmt.Sprintf("the server does not let this machine in (%d): %s", a.Status, what), evidence...)
		d.Hint = elsewhere
		return d
	case a.Status != statusOK:
		return broken(fmt.Sprintf("the server answers %d for the %s", a.Status, what), hint, evidence...)
	case b.Total == 0:
		return broken("the "+what+" is empty", hint, evidence...)
	case strings.HasPrefix(strings.TrimSpace(string(b.Head)), "<"):
		return broken("the "+what+" is an HTML page", hint, evidence...)
	case b.Kind == BootISO && len(b.Head) == 0:
		return notTold("the "+what+" is there, and nothing of it could be read", evidence...)
	case b.Kind == BootISO && !IsISO(b.Head):
		return broken("the "+what+" is no ISO image", hint, evidence...)
	}
	return well(fmt.Sprintf("the %s can be fetched, %s", what, size), evidence...)
}

// IsISO says that a file with such a beginning is an image of ISO 9660; [BootFileHead] bytes
// are enough.
func IsISO(head []byte) bool {
	return len(head) >= isoMarkAt+len(isoMark) && string(head[isoMarkAt:isoMarkAt+len(isoMark)]) == isoMark
}

func judgeNamed(f *DoctorFacts) []Diagnosis {
	var all []Diagnosis
	for i := range f.Named {
		all = append(all, f.judgeNode(&f.Named[i]))
	}
	return all
}

// WebImage is the node's image, if a web server has it.
func (n *NamedNode) WebImage() (PlanImage, bool) {
	return (&Facts{Node: n.Node, Kind: KindDirect}).WebImage()
}

// judgeNode asks of a node what a check before its deployment asks, without its BMC.
func (f *DoctorFacts) judgeNode(named *NamedNode) Diagnosis {
	n := named.Node
	if n == nil {
		return broken(named.Name+": "+named.Error, "")
	}
	facts := &Facts{Now: f.Now, Version: f.Version, Node: n, Drivers: f.Drivers, DriversError: f.DriversError, Conductors: f.Conductors, ConductorsError: f.ConductorsError}
	if _, direct := named.WebImage(); !direct || n.DeployInterface != "direct" {
		facts.Plan.DeployInterface = "custom-agent"
	}
	evidence := []CheckEvidence{
		saw("provision_state", n.ProvisionState), saw("driver", n.Driver), saw("deploy_interface", n.DeployInterface),
		saw("boot_interface", n.BootInterface), saw("inspect_interface", n.InspectInterface),
	}
	label := n.Label()
	for _, id := range []CheckID{CheckConductor, CheckDeployInterface} {
		check, asked := facts.Check(id)
		switch evidence = append(evidence, check.Evidence...); {
		case !asked, check.Severity == CheckOK:
			continue
		case check.Severity == CheckUnknown:
			return notTold(label+": "+check.Text, evidence...)
		default:
			return broken(label+": "+check.Text, check.WayOut, evidence...)
		}
	}
	if n.Maintenance {
		return doubtful(label+" is in maintenance", "ironworks maintenance off "+label, append(evidence, saw("maintenance_reason", n.MaintenanceReason))...)
	}
	if n.ProvisionState.Failed() {
		return doubtful(fmt.Sprintf("%s is %s", label, n.ProvisionState), "ironworks explain "+label, evidence...)
	}
	return well(fmt.Sprintf("%s is %s; conductor and deploy interface are there", label, n.ProvisionState), evidence...)
}

func judgeNamedRamdisks(f *DoctorFacts) []Diagnosis {
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
				saw("driver_info.deploy_iso", "none"), saw("driver_info.deploy_kernel", "none")))
		}
		for j := range named.Files {
			d := named.Files[j].judge()
			d.Title = label + ": " + d.Title
			all = append(all, d)
		}
	}
	return all
}

// judgeNamedImages asks what a check before a direct deployment asks.
func judgeNamedImages(f *DoctorFacts) []Diagnosis {
	var all []Diagnosis
	for i := range f.Named {
		named := &f.Named[i]
		if named.Node == nil || named.ImageFacts == nil {
			continue
		}
		facts := &Facts{Now: f.Now, Node: named.Node, Kind: KindDirect, Image: named.ImageFacts}
		for _, id := range []CheckID{CheckImageThere, CheckImageFile} {
			check, asked := facts.Check(id)
			title := named.Node.Label() + ": " + check.Text
			switch {
			case !asked:
			case check.Severity == CheckOK:
				all = append(all, well(title, check.Evidence...))
			case check.Severity == CheckUnknown:
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
