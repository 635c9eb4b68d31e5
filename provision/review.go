package provision

import (
	"cmp"
	"fmt"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/models/request"
)

// Review is what a deployment would do to one node, for whoever is asked whether it may.
// Everything in it is safe to show.
type Review struct {
	Node models.Node
	// Refusal is why nothing would be sent; nil where it would.
	Refusal *models.Refusal
	Checks  []plan.Check
	Kind    plan.Kind
	// Interface is the deploy interface, with what autodetect is expected to switch to.
	Interface string
	// Image is what is written; empty where the deployment writes none of its own.
	Image string
	// Target is the disk that is written; nil where there is none or it is not known,
	// which TargetText says. Others are those that the deployment leaves alone.
	Target     *hints.Disk
	TargetText string
	Others     []hints.Disk
	// Steps are in Ironic's order, each with its source.
	Steps []plan.OrderedStep
	// FirstBoot is what the installed system gets.
	FirstBoot []models.Detail
	Effect    models.Effect
	// Rest is what is left to do of an interrupted deployment, instead of all that; empty
	// where there is none.
	Rest string
	// Requests and Commands are none where it is refused.
	Requests []request.Request
	Commands []string
}

// Review gathers what the preflight found on a node.
func (a *DeployAction) Review(n *models.Node) Review {
	review := Review{
		Node: *n, Refusal: a.Refuse(n, models.APIVersion{}), Checks: a.Checks(n), Steps: a.Order(n), Effect: a.Effect(n),
		Requests: a.Requests(n), Commands: a.Commands(n),
	}
	r := a.of(n)
	if r != nil && r.rest != restNone {
		review.Rest = r.rest.effect(&r.before.Unfinished)
	}
	if r == nil || r.facts == nil {
		return review
	}
	review.Kind, review.Interface = r.facts.Kind, models.Printable(r.facts.InterfaceText())
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

// imageText says what is written: the image of the plan, else that of the node. Without one
// coreos-installer takes the one that it has with it.
func imageText(f *plan.Facts) string {
	there, _ := f.Node.InstanceInfo["image_source"].(string)
	source := models.Printable(models.MaskURL(cmp.Or(f.Plan.Image.Source, there)))
	switch {
	case f.Kind == plan.KindInstallCoreOS:
		return cmp.Or(source, "the one in the live ISO")
	case f.Kind.WritesImage():
		return source
	}
	return ""
}

// targetText says which disk is written, in full.
func targetText(f *plan.Facts, disk *hints.Disk) string {
	switch {
	case f.Kind == plan.KindRamdisk:
		return "none: the instance runs from memory"
	case f.Kind == plan.KindFake:
		return "none: the deploy interface fake writes nothing"
	case f.Kind == plan.KindAssisted:
		return "unknown: the Assisted Installer's agent picks it"
	case f.Kind == plan.KindAnaconda:
		return "unknown: the kickstart chooses; Ironic's own erases all disks"
	case disk == nil && f.Inventory != nil && len(f.Inventory.Disks) > 0:
		return "not known: none of the disks in its inventory would be picked"
	case disk == nil:
		return "not known: there is no inventory that tells it"
	}
	return DiskText(disk)
}

// DiskText is a disk with all that tells it from another.
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
		parts = append(parts, named(*d.Rotational, "rotational", "not rotational"))
	}
	return models.Printable(strings.Join(parts, ", "))
}

// firstBoot sums up what the installed system gets.
func firstBoot(r *readyNode) []models.Detail {
	var list []models.Detail
	add := func(name, value string) {
		list = append(list, models.Detail{Name: models.Printable(name), Value: models.Printable(value)})
	}
	d := r.deployment
	switch {
	case d.Text != "":
		add("configdrive", "ready made, "+fmt.Sprint(len(d.Text))+" bytes: what is in it is not known")
	case d.report != nil:
		for _, row := range d.report.Summary.Rows() {
			add(row.Name, row.Text)
		}
		if reader, why, _ := r.facts.Reader(); reader != "" {
			add("read by", string(reader)+": "+why)
		}
	case r.facts.Rebuilds() && r.facts.Node.InstanceInfo["configdrive"] != nil:
		add("user data", "that of the last deployment")
	default:
		add("user data", "none")
	}
	if n := len(d.Fields.ConfigDrive.MetaData); n > 0 {
		add("meta data", fmt.Sprintf("%d keys", n))
	}
	if len(d.Fields.ConfigDrive.NetworkData) > 0 {
		add("network", "network_data is sent")
	}
	return list
}
