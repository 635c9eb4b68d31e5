package plan

import (
	"slices"
	"time"

	"ironworks/models"
	"ironworks/models/hints"
)

// Facts holds all facts about the deployment of a node. Checks read nothing else.
type Facts struct {
	Now time.Time
	// Version is the API version of Ironic, or zero if unknown.
	Version models.APIVersion
	// Node is the node with all its fields, including Raw.
	Node *models.Node
	// Verb is deploy or rebuild. If it is empty, the verb is deploy.
	Verb models.Verb
	// Plan holds the plan's fields for the node. [Facts.Resolve] derives Kind and Steps from it.
	Plan  Fields
	Kind  Kind
	Steps []models.Step
	// Outcomes lists the kinds that the deployment can have, beginning with Kind. There are several if Ironic selects
	// the deploy interface when the deployment starts. Kinds that write a disk precede those that do not.
	Outcomes []Kind
	// Hints holds the hints that are in effect after the plan's hints are written.
	Hints hints.NodeHints
	// OwnInstanceUUID is the instance_uuid that this deployment set earlier.
	OwnInstanceUUID string

	// Inventory is nil if Ironic has no inventory, or if the inventory could not be read. InventoryError says why it
	// could not be read.
	Inventory      *hints.Inventory
	InventoryError string
	// MaxInventoryAge is the maximum age of the inventory. Zero means that there is no limit.
	MaxInventoryAge time.Duration

	// Validations holds Ironic's validation of the node as it is before the plan's changes.
	Validations   []models.Validation
	ValidateError string
	Drivers       []models.Driver
	DriversError  string
	// Conductors lists all conductors, including dead ones.
	Conductors      []models.Conductor
	ConductorsError string

	// Others lists the disks of other nodes. OthersError says why some of them could not be read.
	Others      []OtherDisks
	OthersError string

	// Image holds the facts about the image of a direct deployment. It is nil if no server was asked.
	Image *ImageFacts
	// Registry holds the facts about an oci:// image. It is nil if no registry was asked.
	Registry *RegistryFacts

	// Templates lists Ironic's deploy templates, and TemplatesError says why they could not be read. They are not
	// read if the instance has no traits.
	Templates      []models.DeployTemplate
	TemplatesError string

	// Offered holds the steps that the agent last reported. It is nil if neither Ironic nor this console knows them.
	Offered *OfferedSteps

	// UserData is the result of checking the user data, or nil if there is none.
	UserData *UserDataFacts
	// ConfigDriveText means that the configdrive is a URL or base64 text, not an object.
	ConfigDriveText bool
}

// OtherDisks lists the disks of another node.
type OtherDisks struct {
	Node  models.NodeRef
	Disks []hints.Disk
}

// UserDataFacts is the result of checking user data. It contains no secrets.
type UserDataFacts struct {
	// Kind is the format of the user data, for example ignition, butane or cloud-config.
	Kind string
	// Language is the program that reads this format. It is empty if unknown.
	Language UserDataReader
	// OK means that the user data is valid in its format.
	OK       bool
	Findings []UserDataFinding
	// Sent is the size, in bytes, of the user data as it is sent.
	Sent int
}

// UserDataFinding is a problem in user data.
type UserDataFinding struct {
	// Error means that the user data must not be sent. If it is false, the finding is a warning.
	Error bool
	ID    string
	Text  string
}

// Resolve derives the kind, the steps with their priorities, and the effective hints from the other facts.
func (f *Facts) Resolve() error {
	templates := f.templateSteps()
	f.Outcomes = f.outcomes(templates)
	f.Kind = f.Outcomes[0]
	f.Steps = deploymentSteps(f.Kind, f.Plan.Steps, templates)
	hints, err := hints.Of(f.Node)
	if err != nil {
		return err
	}
	f.Hints = withRootDevice(hints, f.Plan.RootDevice)
	return nil
}

func (f *Facts) outcomes(templates []OrderedStep) []Kind {
	switch {
	case f.autodetects():
		return f.autodetected()
	case f.Plan.Kind != "":
		return []Kind{f.Plan.Kind}
	}
	steps := f.Plan.Steps
	for _, s := range templates {
		if IsInstallStep(s.Step) { // other steps of templates do not determine the kind
			steps = append(slices.Clone(steps), s.Step)
		}
	}
	return []Kind{kindOf(f.DeployInterface(), steps)}
}

// Rebuilds reports whether the deployment reinstalls an existing instance.
func (f *Facts) Rebuilds() bool { return f.Verb == models.VerbRebuild }

// DeployInterface returns the deploy interface that the node will have after the plan is applied. It is the first of
// these that is set: the plan's interface, the interface that the plan's kind needs, and the node's current
// interface.
func (f *Facts) DeployInterface() string {
	switch {
	case f.Plan.DeployInterface != "":
		return f.Plan.DeployInterface
	case f.Plan.Kind.deployInterface() != "":
		return f.Plan.Kind.deployInterface()
	}
	return f.Node.DeployInterface
}

// withRootDevice returns the hints that the node will have after the plan's hints are written. Writing hints to
// properties removes those in instance_info, because they would take precedence.
func withRootDevice(h hints.NodeHints, p RootDevice) hints.NodeHints {
	switch {
	case !p.Hints.IsSet():
		return h
	case p.To == hints.OfProperties:
		h.Instance, h.Properties, h.Source = hints.Hints{}, p.Hints, hints.OfProperties
	default:
		h.Instance, h.Source = p.Hints, hints.OfInstance
	}
	h.Hints = p.Hints
	return h
}

func (f *Facts) search() hints.Search {
	return hints.Search{Generation: hints.GenerationOf(f.Version), Hints: f.Hints.Hints, Skip: f.Hints.Skip}
}

// Target returns the disk that the agent would select, according to the inventory. It returns nil if the agent would
// select no disk, or if the disk is unknown.
func (f *Facts) Target() *hints.Disk {
	if f.Inventory == nil || !f.Kind.PicksDisk() {
		return nil
	}
	e := f.search().Explain(f.Inventory.Disks)
	i := slices.IndexFunc(e.Disks, func(c hints.DiskCheck) bool { return c.Picked })
	if i < 0 {
		return nil
	}
	return &e.Disks[i].Disk
}

// OnlyTarget returns [Facts.Target] if certainly no other disk can be selected, and otherwise nil.
func (f *Facts) OnlyTarget() *hints.Disk {
	target := f.Target()
	if target == nil || f.unreportedHints() != nil {
		return nil
	}
	e := f.search().Explain(f.Inventory.Disks)
	if len(e.Matching()) != 1 || models.RAIDRoot(f.Node) != "" {
		return nil
	}
	return target
}

func (f *Facts) extra(name string) any {
	value, _ := f.Node.Field("extra", name)
	return value
}

// sawAt returns evidence together with its age. The at argument is the time when the evidence was read.
func (f *Facts) sawAt(at time.Time, field string, value any) models.Observation {
	e := models.Observed(field, value)
	if !at.IsZero() && f.Now.After(at) {
		e.AgeSeconds = int64(f.Now.Sub(at) / time.Second)
	}
	return e
}
