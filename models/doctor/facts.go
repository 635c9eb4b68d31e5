package doctor

import (
	"cmp"
	"slices"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
)

// Facts are the facts about the connection and the deployment prerequisites. Checks read nothing else.
type Facts struct {
	Now  time.Time
	Auth models.AuthKind
	// Config is the configuration, which is known without any request.
	Config Config

	// Keystone and Ironic are the results of requests without credentials to these services; nil if none was sent.
	Keystone, Ironic *models.Reach
	// Identity is the user's identity that Keystone reports; nil if it did not report one.
	Identity *Identity
	// First is the fault of the first API request. Asked means that the request was sent.
	First *models.Fault
	Asked bool
	// Version is the negotiated API version.
	Version models.APIVersion
	// Latencies are the latencies of small requests.
	Latencies []time.Duration
	// Skew is Ironic's clock minus this machine's clock, with a precision of half a second. It is valid if SkewKnown is
	// true.
	Skew      time.Duration
	SkewKnown bool

	Conductors      []models.Conductor
	ConductorsError string
	Drivers         []models.Driver
	DriversError    string

	// Nodes summarizes the list of nodes; nil if the nodes were not listed. NodesError says why the list is incomplete.
	Nodes      *NodesTally
	NodesError string
	// ISOs are the deploy ISOs that doctor requested from their servers, with the answers.
	ISOs []plan.BootFile

	Named []NamedNode

	Local LocalFacts
}

// Config is the resolved configuration.
type Config struct {
	// Context is the name of the selected context, Source the place where it was configured. Endpoint is masked.
	Context, Source, Endpoint string
	// Guessed means that nothing is configured. Searched lists the files in which a configuration was searched.
	Guessed  bool
	Searched []string
	// Problems make the configuration unusable; Warnings do not.
	Problems, Warnings []string
	// ReadOnly forbids changes; MaxMinor limits the API version; 0 is no limit. User is the login name.
	ReadOnly bool
	MaxMinor int
	User     string
	TLS      models.TLS
}

// Identity is the identity that Keystone reports.
type Identity struct {
	User, Project string
	Roles         []string
	Expires       time.Time
}

// NodesTally summarizes all nodes.
type NodesTally struct {
	Count       int
	States      map[models.ProvisionState]int
	Maintenance int
	// Drivers, Deploy and Inspect count nodes by driver and interfaces.
	Drivers, Deploy, Inspect map[string]int
	// NoRamdisk has the nodes without a deploy ramdisk of their own.
	NoRamdisk []string
	// ISOs count nodes by the URL of their deploy ISO, which may hold secrets.
	ISOs map[string]int
	// Nameless are nodes that auto-discovery may have enrolled (models.Node.MayBeDiscovered). Of those whose
	// inventories were read, Discovered are the nodes that it did enroll, and Undiscovered is the number of the others.
	Nameless     []string
	Discovered   []string
	Undiscovered int
	// Conductor is the conductor that Ironic reports for a node.
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
	if n.MayBeDiscovered() {
		t.Nameless = append(t.Nameless, n.UUID)
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

// BusiestISOs returns at most most deploy ISOs, those with the most nodes first.
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

// NamedNode is a node named on the command line.
type NamedNode struct {
	Name string
	// Node is nil if it could not be read; Error then says why.
	Node  *models.Node
	Error string
	Files []plan.BootFile
	// ImageFacts are the answers of the image's web server; nil if there is none.
	ImageFacts *plan.ImageFacts
}

// LocalFacts has the prerequisites of this machine.
type LocalFacts struct {
	// Keys is the number of SSH keys for ramdisks. Named has the keys that the context names. KeyNotes are the problems
	// of unusable keys.
	Keys     int
	Named    []string
	KeyNotes []string

	Journal JournalFacts
	// Audit is the audit file; AuditError explains why it cannot be written; AuditNew means that it does not exist yet.
	Audit      string
	AuditNew   bool
	AuditError string

	// BMCUser is the user name for BMCs. BMCPassword reports whether there is a password, and BMCKeyring whether there
	// is a keyring: it was not opened, because that may ask the user.
	BMCUser     string
	BMCPassword bool
	BMCKeyring  bool

	Terminal TerminalFacts

	// VMsMissing lists the requirements of the lab's virtual machines that this machine lacks. NoKVM says why KVM is
	// not usable. Both are empty if all requirements are met.
	VMsMissing, NoKVM string
}

// JournalFacts describe the journal.
type JournalFacts struct {
	Path  string
	Error string
	// Bytes is the size of the journal on disk, 0 without a journal. MaxSize limits the size of its lines, MaxAge their
	// age.
	Bytes, MaxSize int64
	MaxAge         time.Duration
	// Dropped counts the records that were dropped because too many were waiting to be written.
	Dropped int64
}

// TerminalFacts describe the terminal.
type TerminalFacts struct {
	IsTerminal    bool
	Term          string
	Width, Height int
	// Colours names the color support of the terminal. Locale is the environment variable that sets the locale, as
	// NAME=VALUE. UTF8 reports whether that locale uses UTF-8.
	Colours, Locale string
	UTF8            bool
}
