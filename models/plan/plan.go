package plan

import (
	"maps"
	"slices"

	"ironworks/models"
	"ironworks/models/hints"
)

// Kind is the method of a deployment, and thereby its effect on the disk.
type Kind string

const (
	// KindConfigured is the kind of a node whose deploy interface is unknown to ironworks.
	KindConfigured Kind = "configured"
	// KindCustomAgent runs the plan's in-band steps.
	KindCustomAgent Kind = "custom-agent"
	// KindInstallCoreOS installs CoreOS with the agent's step install_coreos.
	KindInstallCoreOS Kind = "install_coreos"
	// KindAssisted starts the Assisted Installer's agent, which selects the disk itself (step
	// start_assisted_install).
	KindAssisted Kind = "start_assisted_install"
	// KindDirect means that the agent writes an image to the disk.
	KindDirect Kind = "direct"
	// KindBootc means that the agent installs a bootable container.
	KindBootc Kind = "bootc"
	// KindAnsible means that Ansible writes an image to the disk.
	KindAnsible Kind = "ansible"
	// KindAnaconda boots Red Hat's installer, whose kickstart selects the disks.
	KindAnaconda Kind = "anaconda"
	// KindRamdisk boots the instance from memory; no disk is written.
	KindRamdisk Kind = "ramdisk"
	// KindFake does nothing, for tests of Ironic.
	KindFake Kind = "fake"
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{
		KindInstallCoreOS, KindCustomAgent, KindAssisted, KindDirect, KindBootc, KindAnsible, KindAnaconda, KindRamdisk, KindFake, KindConfigured,
	}
}

// deployInterface returns the deploy interface that the kind needs; empty for any.
func (k Kind) deployInterface() string {
	switch k {
	case KindCustomAgent, KindInstallCoreOS, KindAssisted:
		return "custom-agent"
	case KindDirect, KindBootc, KindAnsible, KindAnaconda, KindRamdisk, KindFake:
		return string(k)
	case KindConfigured:
		return ""
	}
	return ""
}

// installStep returns the step that defines the kind; empty if there is none.
func (k Kind) installStep() string {
	if k == KindInstallCoreOS || k == KindAssisted {
		return string(k)
	}
	return ""
}

// kindOf returns the kind for a plan that does not name one. It depends on the deploy interface and the steps. A
// custom-agent node without steps gets install_coreos.
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

// Plan is a deployment plan. It keeps the text of its file, so that [Plan.Encode] can keep the comments.
type Plan struct {
	// Nodes are the nodes of the plan in order, each with its own fields.
	Nodes []Node
	// Fields are common to all nodes.
	Fields

	file []byte
}

// Node is a node of a plan. Its fields override the plan's, key by key.
type Node struct {
	// Name is the node's name or UUID.
	Name string
	Fields
}

// Fields describe the deployment of a node. Empty fields are unset.
type Fields struct {
	// Kind is the kind of the deployment. If it is empty, [kindOf] determines the kind.
	Kind            Kind
	DeployInterface string
	// Steps are the deploy steps to send.
	Steps       []models.Step
	RootDevice  RootDevice
	ConfigDrive ConfigDrive
	Ramdisk     Ramdisk
	Image       Image
	// Traits are the instance's traits; deploy templates with their names add steps. Nil keeps the node's traits.
	Traits []string
	// Allocate reserves the node by an allocation instead of by instance_uuid. Nil means that it is not set.
	Allocate *Allocate
	// Policy has the policies that change checks, by the checks' IDs.
	Policy map[CheckID]CheckPolicy
}

// RootDevice selects the disk to install to.
type RootDevice struct {
	Hints hints.Hints
	// To is the place that the hints are written to; empty means instance_info.
	To hints.Source
}

// ConfigDrive is the configuration of the installed system.
type ConfigDrive struct {
	// UserDataFile is a path relative to the plan's file; UserData is the text itself.
	UserDataFile string
	UserData     string
	// Reader is the program that reads the user data; empty means that it is derived.
	Reader UserDataReader
	// MetaData is merged key by key, see [Fields.With]. install_coreos reads coreos_append_karg and coreos_copy_network.
	MetaData    map[string]any
	NetworkData map[string]any
}

// isSet reports whether there is anything to send.
func (c ConfigDrive) isSet() bool {
	return c.UserDataFile != "" || c.UserData != "" || len(c.MetaData) > 0 || len(c.NetworkData) > 0
}

// Ramdisk is the deploy ramdisk: an ISO, or a kernel with initramfs and parameters.
type Ramdisk struct {
	ISO    string
	Kernel string
	Initrd string
	Params string
}

// Image is the image that a direct deployment writes.
type Image struct {
	Source string
	// Checksum is a digest, or the URL of a file with the digest. Algorithm is empty if the length of the digest
	// determines it.
	Checksum  string
	Algorithm string
	// Format is raw, qcow2 or another format that Ironic allows. If it is empty, Ironic detects the format.
	Format string
}

// Allocate is an allocation that reserves the node.
type Allocate struct {
	// Off disables the allocation for one node of a plan with allocations.
	Off bool
	// ResourceClass is the requested class; empty means the node's class.
	ResourceClass string
	// Traits are the requested traits: they become the instance's traits, and select deploy templates.
	Traits []string
}

// Asked reports whether an allocation reserves the node.
func (a *Allocate) Asked() bool { return a != nil && !a.Off }

// For returns the fields for a node by name: the common fields, overridden by the node's fields.
func (p *Plan) For(name string) Fields {
	i := slices.IndexFunc(p.Nodes, func(n Node) bool { return n.Name == name })
	if i < 0 {
		return p.Fields
	}
	return p.With(p.Nodes[i].Fields)
}

// With returns f overridden by other. Fields are overridden key by key; hints, steps and traits are replaced as a
// whole.
func (f Fields) With(other Fields) Fields {
	set := func(to *string, from string) {
		if from != "" {
			*to = from
		}
	}
	if other.Kind != "" {
		f.Kind = other.Kind
	}
	set(&f.DeployInterface, other.DeployInterface)
	if other.Steps != nil {
		f.Steps = other.Steps
	}
	if other.Traits != nil {
		f.Traits = other.Traits
	}
	if other.RootDevice.Hints.IsSet() {
		f.RootDevice.Hints = other.RootDevice.Hints
	}
	if other.RootDevice.To != "" {
		f.RootDevice.To = other.RootDevice.To
	}
	if d := other.ConfigDrive; d.UserDataFile != "" || d.UserData != "" {
		f.ConfigDrive.UserDataFile, f.ConfigDrive.UserData = d.UserDataFile, d.UserData
	}
	if other.ConfigDrive.Reader != "" {
		f.ConfigDrive.Reader = other.ConfigDrive.Reader
	}
	f.ConfigDrive.MetaData = joinedMaps(f.ConfigDrive.MetaData, other.ConfigDrive.MetaData)
	f.ConfigDrive.NetworkData = joinedMaps(f.ConfigDrive.NetworkData, other.ConfigDrive.NetworkData)
	switch r := other.Ramdisk; { // an ISO and a kernel cannot be combined
	case r.ISO != "":
		f.Ramdisk = r
	case r.Kernel != "" || r.Initrd != "":
		f.Ramdisk.ISO = ""
	}
	set(&f.Ramdisk.Kernel, other.Ramdisk.Kernel)
	set(&f.Ramdisk.Initrd, other.Ramdisk.Initrd)
	set(&f.Ramdisk.Params, other.Ramdisk.Params)
	if other.Image.Source != "" { // a checksum belongs to its image
		f.Image = other.Image
	}
	set(&f.Image.Checksum, other.Image.Checksum)
	set(&f.Image.Algorithm, other.Image.Algorithm)
	set(&f.Image.Format, other.Image.Format)
	if other.Allocate != nil {
		f.Allocate = other.Allocate
	}
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
