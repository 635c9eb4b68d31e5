package provision

import (
	"cmp"
	"fmt"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/models/request"
	"ironworks/printable"
)

// Review describes the planned deployment of one node for the operator. All its strings are safe to show.
type Review struct {
	Node models.Node
	// Refusal is the reason why nothing would be sent, or nil if the deployment is legal.
	Refusal *models.Refusal
	Checks  []plan.Check
	Kind    plan.Kind
	// Interface is the deploy interface. For autodetect, it includes the interface that Ironic is expected to choose.
	Interface string
	// Image is the image to write. It is empty if the deployment writes no image.
	Image string
	// Target is the disk to be written, or nil if there is none or it is unknown. TargetText describes the disk or
	// explains why there is none. Others lists the disks that the deployment does not change.
	Target     *hints.Disk
	TargetText string
	Others     []hints.Disk
	// Steps lists the deploy steps in the order in which Ironic runs them. Each step includes its source.
	Steps []plan.OrderedStep
	// FirstBoot summarizes the configuration that the installed system reads at its first boot.
	FirstBoot []models.Detail
	Effect    models.Effect
	// FollowUp describes the remaining work on an interrupted deployment. If it is not empty, the action does this
	// work instead of the deployment that the other fields describe.
	FollowUp string
	// Requests lists the requests to send, and Commands the equivalent baremetal commands, unless the node is refused.
	Requests []request.Request
	Commands []string
}

// Review describes the deployment of the node according to the results of the preflight.
func (a *DeployAction) Review(n *models.Node) Review {
	entries, _ := a.entries(n)
	review := Review{
		Node: *n, Refusal: a.Refuse(n, models.APIVersion{}), Checks: a.Checks(n), Steps: a.Order(n), Effect: a.Effect(n),
		Requests: requestsOf(entries), Commands: commandsOf(entries),
	}
	r := a.checked(n)
	if r.followUp != followUpNone {
		review.FollowUp = r.followUp.effect(&r.before.Unfinished)
	}
	if r.facts == nil {
		return review
	}
	review.Kind, review.Interface = r.facts.Kind, printable.Line(r.facts.InterfaceText())
	review.Image = imageText(r.facts)
	review.Target = r.facts.Target()
	review.TargetText = targetText(r.facts, review.Target)
	if inventory := r.facts.Inventory; inventory != nil {
		for _, d := range inventory.Disks {
			if review.Target == nil || d.Name != review.Target.Name {
				review.Others = append(review.Others, d)
			}
		}
	}
	review.FirstBoot = firstBoot(r)
	return review
}

// Requests returns the requests for the node that have not been sent yet, in order, or none if the node is refused.
func (a *DeployAction) Requests(n *models.Node) []request.Request {
	entries, _ := a.entries(n)
	return requestsOf(entries)
}

// Commands returns the baremetal commands that are equivalent to the requests for the node.
func (a *DeployAction) Commands(n *models.Node) []string {
	entries, _ := a.entries(n)
	return commandsOf(entries)
}

// imageText names the image to write. This is the plan's image or, if the plan names none, the node's. If neither is
// set, coreos-installer uses the image in the live ISO.
func imageText(f *plan.Facts) string {
	there, _ := f.Node.InstanceInfo["image_source"].(string)
	source := printable.Line(models.MaskURL(cmp.Or(f.Plan.Image.Source, there)))
	switch {
	case f.Kind == plan.KindInstallCoreOS:
		return cmp.Or(source, "included in the live ISO")
	case f.Kind.WritesImage():
		return source
	}
	return ""
}

func targetText(f *plan.Facts, disk *hints.Disk) string {
	switch {
	case f.Kind == plan.KindRamdisk:
		return "none (the instance runs from memory)"
	case f.Kind == plan.KindFake:
		return "none (deploy interface fake)"
	case f.Kind == plan.KindAssisted:
		return "chosen by the Assisted Installer's agent"
	case f.Kind == plan.KindAnaconda:
		return "chosen by the kickstart (Ironic's default erases all disks)"
	case disk == nil && f.Inventory != nil && len(f.Inventory.Disks) > 0:
		return "unknown: no disk in the inventory matches"
	case disk == nil:
		return "unknown: no inventory"
	}
	return DiskText(disk)
}

// DiskText describes a disk with all attributes that identify it.
func DiskText(d *hints.Disk) string {
	parts := []string{d.Name, fmt.Sprintf("%.1f GiB", d.GiB())}
	for _, part := range []struct{ name, value string }{
		{"", strings.TrimSpace(d.Vendor + " " + d.Model)},
		{"serial ", d.Serial},
		{"wwn ", d.WWN},
		{"", d.Transport},
		{"hctl ", d.HCTL},
		{"", d.ByPath},
	} {
		if part.value != "" {
			parts = append(parts, part.name+part.value)
		}
	}
	if d.Rotational != nil {
		parts = append(parts, nameOf(*d.Rotational, "rotational", "not rotational"))
	}
	return printable.Line(strings.Join(parts, ", "))
}

func firstBoot(r *readyNode) []models.Detail {
	var list []models.Detail
	add := func(name, value string) {
		list = append(list, models.Detail{Name: printable.Line(name), Value: printable.Line(value)})
	}
	d := r.deployment
	switch {
	case d.Text != "":
		add("configdrive", "prebuilt, "+fmt.Sprint(len(d.Text))+" bytes (content unknown)")
	case d.report != nil:
		for _, row := range d.report.Summary.Rows() {
			add(row.Name, row.Text)
		}
		if reader, why, _ := r.facts.Reader(); reader != "" {
			add("read by", string(reader)+": "+why)
		}
	case r.facts.Rebuilds() && r.facts.Node.InstanceInfo["configdrive"] != nil:
		add("user data", "from the last deployment")
	default:
		add("user data", "none")
	}
	if n := len(d.Fields.ConfigDrive.MetaData); n > 0 {
		add("meta data", fmt.Sprintf("%d keys", n))
	}
	if len(d.Fields.ConfigDrive.NetworkData) > 0 {
		add("network", "from network_data")
	}
	return list
}

// DeployReport is the JSON form of the planned deployment of one node.
type DeployReport struct {
	Node     models.NodeRef     `json:"node"`
	Refused  bool               `json:"refused"`
	Effect   string             `json:"effect"`
	Checks   []plan.Check       `json:"checks"`
	Steps    []plan.OrderedStep `json:"steps"`
	Requests []request.Request  `json:"requests"`
	Commands []string           `json:"commands"`
	// Error is the reason why the node could not be checked. It is empty if the node was checked.
	Error string `json:"error,omitempty"`
}

// Report returns the planned deployment of the node. It must be called after [DeployAction.Preflight].
func (a *DeployAction) Report(n *models.Node) DeployReport {
	r := DeployReport{
		Node: n.Ref(), Effect: printable.Line(a.Effect(n).Text), Checks: append([]plan.Check{}, a.Checks(n)...),
		Steps: append([]plan.OrderedStep{}, a.Order(n)...), Requests: append([]request.Request{}, a.Requests(n)...), Commands: append([]string{}, a.Commands(n)...),
	}
	if refused := a.Refuse(n, models.APIVersion{}); refused != nil {
		r.Refused = true
		if len(plan.RefusedChecks(r.Checks)) == 0 {
			r.Error = refused.Why
		}
	}
	return r
}
