// Package plan implements deployment plans and the checks that precede a deployment. It parses and
// writes plans, predicts the resulting steps and the selected disk, and finds requests that Ironic
// would reject.
//
// It does no I/O: checks are functions of [Facts], which the caller gathers.
package plan

import (
	"cmp"
	"maps"
	"slices"

	"ironworks/models"
	"ironworks/models/hints"
)

// Kind is the method of a deployment. It determines what happens to the disk.
type Kind string

const (
	// KindConfigured uses the node's deploy interface, which is unknown to ironworks.
	KindConfigured Kind = "configured"
	// KindCustomAgent runs the plan's in-band steps.
	KindCustomAgent Kind = "custom-agent"
	// KindInstallCoreOS installs CoreOS with the agent's install_coreos step.
	KindInstallCoreOS Kind = "install_coreos"
	// KindAssisted starts the Assisted Installer's agent with the start_assisted_install step. The installer selects
	// the disk itself.
	KindAssisted Kind = "start_assisted_install"
	// KindDirect lets the agent write an image to the disk.
	KindDirect Kind = "direct"
	// KindBootc lets the agent install a bootable container.
	KindBootc Kind = "bootc"
	// KindAnsible lets Ansible write an image to the disk.
	KindAnsible Kind = "ansible"
	// KindAnaconda boots Red Hat's installer, whose kickstart selects the disks.
	KindAnaconda Kind = "anaconda"
	// KindRamdisk boots the instance from memory; no disk is written.
	KindRamdisk Kind = "ramdisk"
	// KindFake does nothing. It is meant for tests of Ironic.
	KindFake Kind = "fake"
)

// Kinds returns all kinds, in the order in which they are offered.
func Kinds() []Kind {
	return []Kind{
		KindInstallCoreOS, KindCustomAgent, KindAssisted, KindDirect, KindBootc, KindAnsible, KindAnaconda, KindRamdisk, KindFake, KindConfigured,
	}
}

// diskChoice says what selects the disk to which a deployment writes.
type diskChoice int

const (
	diskByHints     diskChoice = iota // the agent or Ansible's playbook, according to root device hints
	diskByInstaller                   // an installer, which ignores the hints
	diskNone                          // no disk is written
)

// method describes what deployments of a kind have in common. The zero value applies to kinds that are unknown or that
// work with any deploy interface.
type method struct {
	deployInterface string
	disk            diskChoice
	writesImage     bool
}

var methods = map[Kind]method{
	KindInstallCoreOS: {deployInterface: "custom-agent"},
	KindCustomAgent:   {deployInterface: "custom-agent"},
	KindAssisted:      {deployInterface: "custom-agent", disk: diskByInstaller},
	KindDirect:        {deployInterface: "direct", writesImage: true},
	KindBootc:         {deployInterface: "bootc", writesImage: true},
	KindAnsible:       {deployInterface: "ansible", writesImage: true},
	KindAnaconda:      {deployInterface: "anaconda", disk: diskByInstaller, writesImage: true},
	KindRamdisk:       {deployInterface: "ramdisk", disk: diskNone},
	KindFake:          {deployInterface: "fake", disk: diskNone},
}

// deployInterface returns the deploy interface that the kind needs, or "" if it works with any interface.
func (k Kind) deployInterface() string { return methods[k].deployInterface }

// PicksDisk reports whether root device hints select the disk.
func (k Kind) PicksDisk() bool { return methods[k].disk == diskByHints }

// WritesImage reports whether deployments of this kind write instance_info.image_source to the disk.
func (k Kind) WritesImage() bool { return methods[k].writesImage }

// installStep returns the name of the deploy step that defines the kind, or "" if there is none.
func (k Kind) installStep() string {
	if k == KindInstallCoreOS || k == KindAssisted {
		return string(k)
	}
	return ""
}

// kindOf determines the kind of a plan that does not set one. The kind depends on the deploy interface and the steps.
// A custom-agent node without steps gets install_coreos.
func kindOf(deployInterface string, steps []models.Step) Kind {
	if kind := kindOfInterface(deployInterface); kind != KindCustomAgent {
		return kind
	}
	if len(steps) == 0 {
		return KindInstallCoreOS
	}
	for _, k := range []Kind{KindInstallCoreOS, KindAssisted} {
		if slices.ContainsFunc(steps, func(s models.Step) bool { return s.Interface == "deploy" && s.Step == k.installStep() }) {
			return k
		}
	}
	return KindCustomAgent
}

// Plan is a deployment plan. It keeps the text of its file, so that [Plan.Encode] can preserve the comments.
type Plan struct {
	// Nodes lists the nodes of the plan in order, each with its own fields.
	Nodes []Node
	// Fields holds the fields that apply to all nodes.
	Fields

	file []byte
}

// Node is a node in a plan. Its fields override the plan's common fields, key by key.
type Node struct {
	// Name is the node's name or UUID.
	Name string
	Fields
}

// Fields describes the deployment of a node. A field that is empty is not set.
type Fields struct {
	// Kind is the kind of the deployment. If it is empty, [kindOf] determines the kind.
	Kind            Kind
	DeployInterface string
	// Steps lists the deploy steps to send.
	Steps       []models.Step
	RootDevice  RootDevice
	ConfigDrive ConfigDrive
	Ramdisk     Ramdisk
	Image       Image
	// Traits lists the instance's traits. If the name of a deploy template equals a trait, the template's steps are
	// added. If Traits is nil, the traits are not changed.
	Traits []string
	// Allocate reserves the node through an allocation instead of setting its instance_uuid. If Allocate is nil, the
	// plan does not set this field.
	Allocate *Allocate
	// Policy maps the IDs of checks to the policies that change their results.
	Policy map[CheckID]CheckPolicy
}

// RootDevice selects the disk to install to.
type RootDevice struct {
	Hints hints.Hints
	// To is the field to which the hints are written. If it is empty, they are written to instance_info.
	To hints.Source
}

// ConfigDrive configures the installed system.
type ConfigDrive struct {
	// UserDataFile is the path of a file with the user data, relative to the plan's file. UserData is the user data
	// itself.
	UserDataFile string
	UserData     string
	// Reader is the program that reads the user data. If it is empty, [Facts.Reader] determines it.
	Reader UserDataReader
	// MetaData is merged key by key; see [Fields.With]. The install_coreos step reads coreos_append_karg and
	// coreos_copy_network.
	MetaData    map[string]any
	NetworkData map[string]any
}

func (c ConfigDrive) isSet() bool {
	return c.UserDataFile != "" || c.UserData != "" || len(c.MetaData) > 0 || len(c.NetworkData) > 0
}

// Ramdisk describes the deploy ramdisk. It is either an ISO, or a kernel with an initramfs and kernel parameters.
type Ramdisk struct {
	ISO    string
	Kernel string
	Initrd string
	Params string
}

// Image describes the image that a deployment writes.
type Image struct {
	Source string
	// Checksum is a digest, or the URL of a file that contains the digest. If Algorithm is empty, the length of the
	// digest determines the algorithm.
	Checksum  string
	Algorithm string
	// Format is raw, qcow2 or another format that Ironic allows. If it is empty, Ironic detects the format.
	Format string
}

type textField struct {
	key   string
	value *string
}

func (r *Ramdisk) fields() []textField {
	return []textField{{"iso", &r.ISO}, {"kernel", &r.Kernel}, {"initrd", &r.Initrd}, {"params", &r.Params}}
}

func (i *Image) fields() []textField {
	return []textField{{"source", &i.Source}, {"checksum", &i.Checksum}, {"algorithm", &i.Algorithm}, {"format", &i.Format}}
}

// override replaces the values of fields by those of others that are set.
func override(fields, others []textField) {
	for i, other := range others {
		*fields[i].value = cmp.Or(*other.value, *fields[i].value)
	}
}

// Allocate describes an allocation that reserves the node.
type Allocate struct {
	// Off turns off the allocation for one node in a plan that requests allocations.
	Off bool
	// ResourceClass is the requested resource class. If it is empty, the node's class is requested.
	ResourceClass string
	// Traits lists the requested traits. They become the traits of the instance, and thereby select deploy templates.
	Traits []string
}

// Asked reports whether an allocation is requested. a may be nil.
func (a *Allocate) Asked() bool { return a != nil && !a.Off }

// For returns the fields for the node that has the given name in the plan. The node's own fields override the common
// ones.
func (p *Plan) For(name string) Fields {
	if i := p.index(name); i >= 0 {
		return p.With(p.Nodes[i].Fields)
	}
	return p.Fields
}

// With returns a copy of f in which the fields that are set in other override those of f. Fields are overridden key
// by key, but hints, steps and traits are replaced as a whole.
func (f Fields) With(other Fields) Fields {
	f.Kind = cmp.Or(other.Kind, f.Kind)
	f.DeployInterface = cmp.Or(other.DeployInterface, f.DeployInterface)
	if other.Steps != nil {
		f.Steps = other.Steps
	}
	if other.Traits != nil {
		f.Traits = other.Traits
	}
	if other.RootDevice.Hints.IsSet() {
		f.RootDevice.Hints = other.RootDevice.Hints
	}
	f.RootDevice.To = cmp.Or(other.RootDevice.To, f.RootDevice.To)
	if d := other.ConfigDrive; d.UserDataFile != "" || d.UserData != "" {
		f.ConfigDrive.UserDataFile, f.ConfigDrive.UserData = d.UserDataFile, d.UserData
	}
	f.ConfigDrive.Reader = cmp.Or(other.ConfigDrive.Reader, f.ConfigDrive.Reader)
	f.ConfigDrive.MetaData = joinedMaps(f.ConfigDrive.MetaData, other.ConfigDrive.MetaData)
	f.ConfigDrive.NetworkData = joinedMaps(f.ConfigDrive.NetworkData, other.ConfigDrive.NetworkData)
	switch r := other.Ramdisk; { // an ISO and a kernel cannot be combined
	case r.ISO != "":
		f.Ramdisk = r
	case r.Kernel != "" || r.Initrd != "":
		f.Ramdisk.ISO = ""
	}
	override(f.Ramdisk.fields(), other.Ramdisk.fields())
	if other.Image.Source != "" { // replace the checksum together with its image
		f.Image = other.Image
	}
	override(f.Image.fields(), other.Image.fields())
	f.Allocate = cmp.Or(other.Allocate, f.Allocate)
	f.Policy = joinedMaps(f.Policy, other.Policy)
	return f
}

func joinedMaps[K comparable, V any](a, b map[K]V) map[K]V {
	if len(b) == 0 {
		return a
	}
	out := make(map[K]V, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}
