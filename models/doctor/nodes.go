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
		return unknown("the nodes could not be listed: " + f.NodesError)
	case t == nil:
		return unknown("nodes not listed: timed out")
	case f.NodesError != "":
		return unknown(fmt.Sprintf("only %s listed: %s", models.Counted(t.Count, "node"), f.NodesError))
	case t.Count == 0:
		return ok("no nodes enrolled or visible")
	}
	evidence := []models.Observation{models.Observed("drivers", strings.Join(byCount(t.Drivers), ", "))}
	text := models.Counted(t.Count, "node") + ": " + strings.Join(byCount(t.States), ", ")
	if t.Maintenance > 0 {
		text += fmt.Sprintf("; %d in maintenance", t.Maintenance)
	}
	for s := range t.States {
		if s.Failed() {
			evidence = append(evidence, models.Observed("reason for the failures", "ironworks explain NODE"))
			break
		}
	}
	return ok(text, evidence...)
}

func judgeNodesDeploy(t *NodesTally) Diagnosis {
	at := models.Observed("deploy_interface", strings.Join(byCount(t.Deploy), ", "))
	if other := t.Count - t.Deploy["custom-agent"]; other > 0 {
		return ok(fmt.Sprintf("%d of %s do not use custom-agent: a CoreOS deployment sets it", other, models.Counted(t.Count, "node")), at)
	}
	return ok("all nodes use custom-agent", at)
}

func judgeNodesRamdisk(t *NodesTally) Diagnosis {
	if len(t.NoRamdisk) == 0 {
		return ok("all nodes have a ramdisk to boot", models.Observed("deploy ISOs", len(t.ISOs)))
	}
	return warning(
		fmt.Sprintf("no ramdisk set for %d of %s: neither a deploy ISO nor a kernel and ramdisk", len(t.NoRamdisk), models.Counted(t.Count, "node")),
		"set one with ironworks ignition apply or in a plan; ironworks validate NODE shows whether Ironic's configuration has a default",
		models.Observed("nodes", someOf(t.NoRamdisk)))
}

func judgeNodesInspection(t *NodesTally) Diagnosis {
	at := models.Observed("inspect_interface", strings.Join(byCount(t.Inspect), ", "))
	if t.Inspect["agent"] == t.Count {
		return ok("all nodes use agent inspection", at)
	}
	return ok(fmt.Sprintf("%d of %s use agent inspection", t.Inspect["agent"], models.Counted(t.Count, "node")), at)
}

// judgeFleetISOs judges the deploy ISOs that are used by the largest numbers of nodes. It returns warnings instead of
// failures, because a broken ISO affects only later deployments of the nodes that use it.
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
			all = append(all, unknown(fmt.Sprintf("%d more not checked: to check a node's ISO, specify the node", more)))
		}
	}
	return all
}

// isoMark occurs at offset isoMarkAt of every ISO 9660 image, in the first sector after the system area (ECMA-119,
// 8.4).
const (
	isoMark   = "CD001"
	isoMarkAt = 16*2048 + 1
)

// BootFileHead is the number of bytes at the start of a boot file that are needed to identify its format.
const BootFileHead = 17 * 2048

func judgeFile(b *plan.BootFile) Diagnosis {
	at := models.MaskURL(b.Address)
	what := string(b.Kind) + " " + at
	if !b.OnTheWeb() {
		return unknown("the "+what+" is not an HTTP URL: Ironic fetches it itself", models.Observed(b.Field, at))
	}
	if !b.Asked {
		return unknown("the "+what+" was not checked: timed out", models.Observed(b.Field, at))
	}
	a := b.Answer
	evidence := a.Evidence(b.Field, b.Address)
	size := "size unknown"
	if b.Total >= 0 {
		size = models.FormatBytes(b.Total)
		evidence = append(evidence, models.Observed("bytes", b.Total))
	}
	hint := "correct " + b.Field + ", or upload the file"
	var d Diagnosis
	switch {
	case a.Error != "":
		d = unknown("the "+what+" is not reachable from this console: "+a.Error, evidence...)
		d.Hint = plan.AskElsewhere
		return d
	case a.NeedsLogin():
		d = unknown(fmt.Sprintf("the server denies access to this console (HTTP %d): %s", a.Status, what), evidence...)
		d.Hint = plan.AskElsewhere
		return d
	case a.Status != plan.StatusOK:
		return failure(fmt.Sprintf("the server answers HTTP %d for the %s", a.Status, what), hint, evidence...)
	case b.Total == 0:
		return failure("the "+what+" is empty", hint, evidence...)
	case strings.HasPrefix(strings.TrimSpace(string(b.Head)), "<"):
		return failure("the "+what+" is an HTML page", hint, evidence...)
	case b.Kind == plan.BootISO && len(b.Head) == 0:
		return unknown("the "+what+" exists but is not readable", evidence...)
	case b.Kind == plan.BootISO && !IsISO(b.Head):
		return failure("the "+what+" is not an ISO image", hint, evidence...)
	}
	return ok(fmt.Sprintf("%s downloadable, %s", what, size), evidence...)
}

// IsISO reports whether head, the first [BootFileHead] bytes of a file, is the beginning of an ISO 9660 image.
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

// WebImage returns the node's image, and reports whether it is on a web server.
func (n *NamedNode) WebImage() (plan.Image, bool) {
	return (&plan.Facts{Node: n.Node, Kind: plan.KindDirect}).WebImage()
}

// judgeNode runs the deployment checks on the node, except those that need its BMC.
func (f *Facts) judgeNode(named *NamedNode) Diagnosis {
	n := named.Node
	if n == nil {
		return failure(named.Name+": "+named.Error, "")
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
		check, asked := plan.CheckChoices{}.Check(facts, id)
		switch evidence = append(evidence, check.Evidence...); {
		case !asked, check.Severity == plan.CheckOK:
			continue
		case check.Severity == plan.CheckUnknown:
			return unknown(label+": "+check.Text, evidence...)
		default:
			return failure(label+": "+check.Text, check.Remedy, evidence...)
		}
	}
	if n.Maintenance {
		return warning(label+" is in maintenance", "ironworks maintenance off "+label, append(evidence, models.Observed("maintenance_reason", n.MaintenanceReason))...)
	}
	if n.ProvisionState.Failed() {
		return warning(fmt.Sprintf("%s is %s", label, n.ProvisionState), "ironworks explain "+label, evidence...)
	}
	return ok(fmt.Sprintf("%s is %s; conductor and deploy interface available", label, n.ProvisionState), evidence...)
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
			all = append(all, warning(label+" has no ramdisk: no deploy ISO, and no kernel and ramdisk",
				"set one with ironworks ignition apply or in a plan; for a default in Ironic's configuration, run ironworks validate "+label,
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

// judgeNamedImages checks the images of the named nodes in the same way as before a direct deployment.
func judgeNamedImages(f *Facts) []Diagnosis {
	var all []Diagnosis
	for i := range f.Named {
		named := &f.Named[i]
		if named.Node == nil || named.ImageFacts == nil {
			continue
		}
		facts := &plan.Facts{Now: f.Now, Node: named.Node, Kind: plan.KindDirect, Image: named.ImageFacts}
		for _, id := range []plan.CheckID{plan.CheckImageThere, plan.CheckImageFile} {
			check, asked := plan.CheckChoices{}.Check(facts, id)
			title := named.Node.Label() + ": " + check.Text
			switch {
			case !asked:
			case check.Severity == plan.CheckOK:
				all = append(all, ok(title, check.Evidence...))
			case check.Severity == plan.CheckUnknown:
				d := unknown(title, check.Evidence...)
				d.Hint = check.Remedy
				all = append(all, d)
			default:
				all = append(all, failure(title, check.Remedy, check.Evidence...))
			}
		}
	}
	return all
}
