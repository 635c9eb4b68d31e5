package plan

import (
	"maps"
	"slices"

	"ironworks/models"
	"ironworks/models/hints"
)

// Kind is what a deployment does to a node's disk, and who does it.
type Kind string

// The kinds.
const (
	// KindConfigured is what a deploy interface does that is not known here.
	KindConfigured Kind = "configured"
	// KindCustomAgent runs the plan's own in-band steps.
	KindCustomAgent Kind = "custom-agent"
	// KindInstallCoreOS installs CoreOS with the agent's step install_coreos.
	KindInstallCoreOS Kind = "install_coreos"
	// KindAssisted hands the machine over to the Assisted Installer's agent, which picks
	// the disk itself (the step start_assisted_install).
	KindAssisted Kind = "start_assisted_install"
	// KindDirect has the agent write an image to the disk.
	KindDirect Kind = "direct"
	// KindBootc has the agent install a bootable container to the disk.
	KindBootc Kind = "bootc"
	// KindAnsible has Ansible write an image to the disk.
	KindAnsible Kind = "ansible"
	// KindAnaconda boots Red Hat's installer, whose kickstart chooses the disks.
	KindAnaconda Kind = "anaconda"
	// KindRamdisk boots the instance from memory; Ironic writes to no disk.
	KindRamdisk Kind = "ramdisk"
	// KindFake only waits, for tests of Ironic.
	KindFake Kind = "fake"
)

// Kinds lists them.
func Kinds() []Kind {
	return []Kind{
		KindInstallCoreOS, KindCustomAgent, KindAssisted, KindDirect, KindBootc, KindAnsible, KindAnaconda, KindRamdisk, KindFake, KindConfigured,
	}
}

// deployInterface is the deploy interface that the kind needs; empty for any.
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

// installStep is the step that makes the kind; empty where there is none.
func (k Kind) installStep() string {
	if k == KindInstallCoreOS || k == KindAssisted {
		return string(k)
	}
	return ""
}

// kindOf is the kind of a deployment that a plan leaves open: what the deploy interface
// and the steps make of it. A custom-agent node without any step gets install_coreos.
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

// Plan is a deployment of nodes, as its file says it. The file is kept, so that
// [Plan.Encode] keeps its comments.
type Plan struct {
	// Nodes are those of the plan in its order, each with what is different for it.
	Nodes []Node
	// Fields are what all nodes have in common.
	Fields

	file []byte
}

// Node is one node of a plan. Its fields take the place of the plan's, key by key.
type Node struct {
	// Name is the node's name or uuid.
	Name string
	Fields
}

// Fields are what can be said of one node's deployment. What is empty is not said.
type Fields struct {
	// Kind is what the deployment does; empty: see [kindOf].
	Kind            Kind
	DeployInterface string
	// Steps are the deploy steps that are sent.
	Steps       []models.Step
	RootDevice  RootDevice
	ConfigDrive ConfigDrive
	Ramdisk     Ramdisk
	Image       Image
	// Traits are those that the instance asks of its node: deploy templates that are
	// called so add their steps. Nil says nothing, and leaves the node's.
	Traits []string
	// Allocate has the node reserved by an allocation, and not by hand. Nil says nothing.
	Allocate *Allocate
	// Policy changes what checks do, by their ids.
	Policy map[CheckID]CheckPolicy
}

// RootDevice is which disk the node is installed to.
type RootDevice struct {
	Hints hints.Hints
	// To is where the hints are written; empty is instance_info.
	To hints.Source
}

// ConfigDrive is what the installed system is given.
type ConfigDrive struct {
	// UserDataFile is a file, relative to the plan's; UserData is the text itself.
	UserDataFile string
	UserData     string
	// Reader is who reads the user data; empty for what kind, image and user data tell.
	Reader UserDataReader
	// MetaData are merged key by key; coreos_append_karg and coreos_copy_network mean
	// something to install_coreos.
	MetaData    map[string]any
	NetworkData map[string]any
}

// given says that there is something to send.
func (c ConfigDrive) given() bool {
	return c.UserDataFile != "" || c.UserData != "" || len(c.MetaData) > 0 || len(c.NetworkData) > 0
}

// Ramdisk is what the node boots for the deployment: an ISO that is ready, or a
// kernel with its initramfs and parameters.
type Ramdisk struct {
	ISO    string
	Kernel string
	Initrd string
	Params string
}

// Image is what a direct deployment writes.
type Image struct {
	Source string
	// Checksum is a digest or the URL of a file with it; Algorithm names its kind,
	// empty for what its length says.
	Checksum  string
	Algorithm string
}

// Allocate is the allocation that reserves the node.
type Allocate struct {
	// Off asks for none: for one node of a plan whose others are allocated.
	Off bool
	// ResourceClass is the one asked for; empty is the node's own.
	ResourceClass string
	// Traits are asked for, too: they become the instance's, and name deploy templates.
	Traits []string
}

// Asked says that an allocation reserves the node.
func (a *Allocate) Asked() bool { return a != nil && !a.Off }

// For is what the plan says of a node by name: the common fields with the node's own in
// their places. A node that the plan does not name gets the common ones.
func (p *Plan) For(name string) Fields {
	i := slices.IndexFunc(p.Nodes, func(n Node) bool { return n.Name == name })
	if i < 0 {
		return p.Fields
	}
	return p.With(p.Nodes[i].Fields)
}

// With puts what other says in the place of what f says: key by key, hints, steps and
// traits as a whole.
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
	if other.RootDevice.Hints.Given() {
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
	switch r := other.Ramdisk; { // an ISO and a kernel exclude each other
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
