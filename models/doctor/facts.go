package doctor

import (
	"cmp"
	"slices"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
)

// Facts holds all that the checks know about the connection and the prerequisites of deployments. Checks read nothing
// else.
type Facts struct {
	Now  time.Time
	Auth models.AuthKind
	// Config is the configuration, which is known before any request is sent.
	Config Config

	// Keystone and Ironic hold the results of requests sent to these services without credentials. A field is nil if
	// no request was sent.
	Keystone, Ironic *models.Reach
	// Identity is the user's identity as reported by Keystone, or nil if it did not report one.
	Identity *Identity
	// First is the fault with which the first API request failed. It is nil if the request succeeded or was not sent.
	// Asked reports whether the request was sent.
	First *models.Fault
	Asked bool
	// Version is the negotiated API version.
	Version models.APIVersion
	// Latencies holds the measured latencies of small requests.
	Latencies []time.Duration
	// Skew is the difference between Ironic's clock and this machine's clock (Ironic's minus this machine's),
	// accurate to half a second. It is valid only if SkewKnown is true.
	Skew      time.Duration
	SkewKnown bool

	Conductors      []models.Conductor
	ConductorsError string
	Drivers         []models.Driver
	DriversError    string

	// Nodes summarizes the list of nodes; nil means not listed. NodesError says why the list is incomplete.
	Nodes      *NodesTally
	NodesError string
	// ISOs lists the deploy ISOs that doctor requested from their web servers, together with the servers' answers.
	ISOs []plan.BootFile

	Named []NamedNode

	Local LocalFacts
}

// Config is the resolved configuration.
type Config struct {
	// Context is the name of the selected context, and Source is the place where it was configured. Secrets in
	// Endpoint are masked.
	Context, Source, Endpoint string
	// Guessed means that nothing is configured. Searched lists the files that were searched for a configuration.
	Guessed  bool
	Searched []string
	// Problems lists the errors that make the configuration unusable. Warnings lists less serious problems.
	Problems, Warnings []string
	// ReadOnly forbids changes. MaxMinor limits the minor API version; 0 means no limit. User is the API user.
	ReadOnly bool
	MaxMinor int
	User     string
	TLS      models.TLS
}

// Identity is a user's identity as reported by Keystone.
type Identity struct {
	User, Project string
	Roles         []string
	Expires       time.Time
}

// NodesTally summarizes all of Ironic's nodes.
type NodesTally struct {
	Count       int
	States      map[models.ProvisionState]int
	Maintenance int
	// Drivers, Deploy and Inspect count the nodes by driver, deploy interface and inspect interface.
	Drivers, Deploy, Inspect map[string]int
	// NoRamdisk lists the nodes that do not specify a deploy ramdisk.
	NoRamdisk []string
	// ISOs counts the nodes by the URL of their deploy ISO. A URL may contain secrets.
	ISOs map[string]int
	// Nameless lists the nodes that auto-discovery may have enrolled (models.Node.MayBeDiscovered). For the nameless
	// nodes whose inventories were read, Discovered lists the nodes that auto-discovery did enroll, and Undiscovered
	// counts the others.
	Nameless     []string
	Discovered   []string
	Undiscovered int
	// Conductor is the conductor that Ironic reports for one of the nodes.
	Conductor string
}

// Add adds a node to the tally.
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

// BusiestISOs returns the deploy ISOs that the most nodes use, in descending order of the number of nodes. Its
// argument limits the number of ISOs.
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
	// Node is nil if the node could not be read. Error then says why.
	Node  *models.Node
	Error string
	Files []plan.BootFile
	// ImageFacts holds the answers of the image's web server, or is nil if the server was not asked.
	ImageFacts *plan.ImageFacts
}

// LocalFacts describes what this machine provides for deployments.
type LocalFacts struct {
	// Keys counts the SSH keys for ramdisks. Named lists the keys that the context names. KeyNotes explains why some
	// keys are unusable.
	Keys     int
	Named    []string
	KeyNotes []string

	Journal JournalFacts
	// Audit is the path of the audit file. AuditError explains why it cannot be written. AuditNew means that the file
	// does not exist yet.
	Audit      string
	AuditNew   bool
	AuditError string

	// BMCUser is the user name for BMCs. BMCPassword reports whether a password is set. BMCKeyring reports whether a
	// keyring exists that may hold a password; the keyring is not opened, because that may prompt the user.
	BMCUser     string
	BMCPassword bool
	BMCKeyring  bool

	Terminal TerminalFacts

	// VMsMissing lists what this machine lacks for the lab's virtual machines. NoKVM says why KVM cannot be used.
	// Both are empty if all requirements are met.
	VMsMissing, NoKVM string
}

// JournalFacts describes the journal.
type JournalFacts struct {
	Path  string
	Error string
	// Bytes is the size of the journal on disk, or 0 if there is no journal. MaxSize limits the total size of its
	// lines, and MaxAge limits their age.
	Bytes, MaxSize int64
	MaxAge         time.Duration
	// Dropped counts the records that were dropped because too many were waiting to be written.
	Dropped int64
}

// TerminalFacts describes the terminal.
type TerminalFacts struct {
	IsTerminal    bool
	Term          string
	Width, Height int
	// Colours describes the terminal's color support. Locale is the environment variable that sets the locale, in the
	// form NAME=VALUE. UTF8 reports whether that locale uses UTF-8.
	Colours, Locale string
	UTF8            bool
}
