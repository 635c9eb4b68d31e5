package doctor

import (
	"cmp"
	"slices"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
)

// Facts are what was gathered of the way to Ironic and of what a deployment from
// here needs. Checks read nothing else.
type Facts struct {
	Now  time.Time
	Auth models.AuthKind
	// Config is what is known before anybody is asked.
	Config Config

	// Keystone and Ironic are how far a request without credentials came; nil where none
	// was sent.
	Keystone, Ironic *models.Reach
	// Identity is who Keystone says we are; nil where it did not.
	Identity *Identity
	// First is the fault of the first request to Ironic's API; Asked that one was sent.
	First *models.Fault
	Asked bool
	// Version is the API's, as it was agreed.
	Version models.APIVersion
	// Latencies are what small requests took.
	Latencies []time.Duration
	// Skew is how far Ironic's clock is ahead of ours, if SkewKnown, to half a second.
	Skew      time.Duration
	SkewKnown bool

	Conductors      []models.Conductor
	ConductorsError string
	Drivers         []models.Driver
	DriversError    string

	// Nodes is a look at the fleet; nil where it was not listed. NodesError says why it is
	// not all of it.
	Nodes      *NodesTally
	NodesError string
	// ISOs are the deploy ISOs of the fleet that were asked for.
	ISOs []plan.BootFile

	Named []NamedNode

	Here Here
}

// Config is what the configuration comes to.
type Config struct {
	// Context and Source are which one is selected and where it comes from; Endpoint is its
	// address, masked.
	Context, Source, Endpoint string
	// Guessed says that nothing is configured; Looked what was looked for.
	Guessed bool
	Looked  []string
	// Problems make it of no use; Warnings do not.
	Problems, Warnings []string
	// ReadOnly forbids changes; MaxMinor bounds the API's version, 0 does not. User is who
	// logs in.
	ReadOnly bool
	MaxMinor int
	User     string
	TLS      models.TLS
}

// Identity is who Keystone says that we are.
type Identity struct {
	User, Project string
	Roles         []string
	Expires       time.Time
}

// NodesTally is a look at all nodes.
type NodesTally struct {
	Count       int
	States      map[models.ProvisionState]int
	Maintenance int
	// Drivers, Deploy and Inspect count the nodes by their driver and interfaces.
	Drivers, Deploy, Inspect map[string]int
	// NoRamdisk are nodes that have none of their own to deploy with.
	NoRamdisk []string
	// ISOs are how many nodes have a deploy ISO, by its address, which may hold secrets.
	ISOs map[string]int
	// Conductor is the one that Ironic itself names for a node.
	Conductor string
}

// Add counts a node.
func (t *NodesTally) Add(n *models.Node) {
	if t.States == nil {
		t.States, t.ISOs = map[models.ProvisionState]int{}, map[string]int{}
		t.Drivers, t.Deploy, t.Inspect = map[string]int{}, map[string]int{}, map[string]int{}
	}
	t.Count++
	t.States[n.ProvisionState]++
	t.Drivers[n.Driver]++
	t.Deploy[n.DeployInterface]++
	t.Inspect[n.InspectInterface]++
	if n.Maintenance {
		t.Maintenance++
	}
	files := plan.BootFiles(n)
	if len(files) == 0 && n.BootInterface != "fake" {
		t.NoRamdisk = append(t.NoRamdisk, n.Label())
	}
	for _, f := range files {
		if f.Kind == plan.BootISO {
			t.ISOs[f.Address]++
		}
	}
}

// BusiestISOs are the deploy ISOs with the most nodes, at most most of them.
func (t *NodesTally) BusiestISOs(most int) []plan.BootFile {
	var all []plan.BootFile
	for address, nodes := range t.ISOs {
		all = append(all, plan.BootFile{Kind: plan.BootISO, Field: "driver_info.deploy_iso", Address: address, Nodes: nodes})
	}
	slices.SortFunc(all, func(a, b plan.BootFile) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Address, b.Address))
	})
	return all[:min(most, len(all))]
}

// NamedNode is a node that somebody wants to know more of.
type NamedNode struct {
	Name string
	// Node is nil where it could not be read: then Error says why.
	Node  *models.Node
	Error string
	Files []plan.BootFile
	// plan.ImageFacts are what the web server of its image said; nil where none has it.
	ImageFacts *plan.ImageFacts
}

// Here is what a deployment needs of the machine that the console runs on.
type Here struct {
	// Keys is how many SSH keys there are for ramdisks, of which Named were named in the
	// context; KeyNotes say what of them cannot be used.
	Keys     int
	Named    []string
	KeyNotes []string

	Journal JournalFacts
	// Audit is the file of the audit; AuditError says why it cannot be written, AuditNew
	// that it is not there yet.
	Audit      string
	AuditNew   bool
	AuditError string

	// BMCUser and BMCPassword are whether there is a login for BMCs; BMCKeyring that there is
	// a keyring, which was not asked: it may ask somebody to open it.
	BMCUser     string
	BMCPassword bool
	BMCKeyring  bool

	Terminal TerminalFacts

	// VMsMissing says what virtual machines of the lab need and this computer lacks; NoKVM why
	// KVM's device cannot be used. Both are empty where all is there.
	VMsMissing, NoKVM string
}

// JournalFacts are what is known of the journal.
type JournalFacts struct {
	Path  string
	Error string
	// Bytes are what it takes on disk, 0 where there is none yet; MaxSize bounds its lines, MaxAge
	// how long they are kept.
	Bytes, MaxSize int64
	MaxAge         time.Duration
	// Dropped are records that there was no room for.
	Dropped int64
}

// TerminalFacts are what the terminal says of itself.
type TerminalFacts struct {
	Is            bool
	Term          string
	Width, Height int
	// Colours is what is known of them; Locale the variable that decides, UTF8 that it says so.
	Colours, Locale string
	UTF8            bool
}
