// Package prepare turns an operator's inputs, from command-line flags or a form, into boot images. It reads the input
// files and the keys of the SSH agent, and puts the configuration into an ISO, into an initramfs, or on a server.
package prepare

import (
	"context"
	"io"
	"io/fs"

	"ironworks/agentlog"
	"ironworks/ignition"
)

// Inputs holds an operator's inputs as text, partly paths that Build reads. Empty fields mean the profile's default.
type Inputs struct {
	// Profile is the name of an [ignition.Profile].
	Profile string

	// The fields from IronicURLs to NoLogin correspond to fields of [ignition.Ramdisk].
	IronicURLs []string
	TLS        string
	CAFile     string
	// Agent is an [ignition.AgentKind]. AgentBinary, AgentURL and AgentEmbed apply only to the builtin agent.
	// AgentBinary is the path of the ironworks-agent program; if it is empty, the program is expected in the same
	// folder as this program. AgentURL is the URL from which machines download ironworks-agent. If AgentEmbed is set,
	// the configuration contains ironworks-agent instead.
	Agent       string
	AgentBinary string
	AgentURL    string
	AgentEmbed  bool
	// AgentArch is the architecture of the machines, as in Ironic's cpu_arch. It is empty if unknown.
	AgentArch string
	Image     string
	// Registries lists registries in the form HOST=verified, HOST=insecure or HOST=ca:FILE.
	Registries     []string
	PullSecretFile string
	// SSHKeyFiles lists paths of public key files, SSHKeys public keys. SSHAgent adds the keys of the SSH agent.
	SSHKeyFiles     []string
	SSHKeys         []string
	SSHAgent        bool
	AllowKeyOptions bool
	NoLogin         bool
	Hostname        string
	// KeyFiles lists paths of NetworkManager keyfiles, or of folders that contain keyfiles.
	KeyFiles    []string
	IPOptions   []string
	CopyNetwork string
	HTTPProxy   string
	HTTPSProxy  string
	NoProxy     []string
	NTPServers  []string
	VLANs       []string
	Collectors  []string
	// InspectionCallback is the URL to which the agent sends inspection data.
	InspectionCallback string
	// Options lists settings of the agent, NAME=VALUE or GROUP.NAME=VALUE, or literal lines in the classic profile.
	Options []string
	Debug   bool
	// JournalPush is the URL of the console that receives the ramdisk's journal. It has the form https://HOST:PORT,
	// and machines must be able to reach it. SSHHostKey gives the ramdisk's SSH server a host key that the console
	// knows. Each call to Build generates new secrets for both.
	JournalPush string
	SSHHostKey  bool
	// ExtraFile is the path of an Ignition or Butane file to merge into the configuration.
	ExtraFile string

	// Registry and InsecureRegistry are options of build.py, and apply only to the classic profile.
	Registry         string
	InsecureRegistry bool

	// NMStateFile is the path of a file with the output of `nmstatectl gc`, and RegistriesFile is the path of a
	// registries.conf. Both apply only to the metal3 profile.
	NMStateFile    string
	RegistriesFile string

	// node is the name that was passed to ForNode.
	node string
	// program is the served agent program, and agentCA verifies its URL. [Maker.PublishAgent] sets both.
	program []byte
	agentCA string
}

// Maker builds configurations. Its fields give it access to the system.
type Maker struct {
	// Open opens a file. It resolves "~" at the start of a path.
	Open func(path string) (io.ReadCloser, error)
	// Dir returns the entries of a folder, sorted by name.
	Dir func(path string) ([]fs.DirEntry, error)
	// AgentKeys returns the public keys of the SSH agent, each as one line. It is nil if there is no agent.
	AgentKeys func(ctx context.Context) ([]string, error)
	// Programs is the folder of this program, the default place of ironworks-agent; if empty, there is no default.
	Programs string
	// Home is the home folder; the default keys are in its .ssh folder. If Home is empty, there are no default keys.
	Home string
	// Identity creates an identity, and returns a function that stores it in the console. It is nil if identities
	// cannot be stored.
	Identity func(agentlog.IdentityOrder) (id agentlog.Identity, keep func() error, err error)
	// Preview means that configurations are built only for display, so their identity is not stored.
	Preview bool
	// Ironic describes the Ironic of the selected context. If there is no context, its URL is empty.
	Ironic ignition.IronicEndpoint
}

// Built is a configuration with its preview.
type Built struct {
	Document ignition.Document
	Preview  Preview
}

// Preview shows a configuration with its secrets hidden. All text is safe to print.
type Preview struct {
	Spec string
	// Size is the length of the JSON, and Packed its length in a live image's area after compression, in bytes.
	Size, Packed int
	Files        []PreviewFile
	Units        []PreviewUnit
	// Logins lists the ways to log in, each as one line with the user and either the key's fingerprint or "password".
	Logins []string
	Notes  []ignition.RamdiskNote
	// Text is the indented JSON in which secrets are masked.
	Text string
}

// PreviewFile is a file in the configuration, with its content decoded.
type PreviewFile struct {
	Path   string
	Mode   uint32
	Size   int
	Secret bool
	// Text is the content of the file. It is empty if the content is secret or binary.
	Text string
}

// PreviewUnit is a systemd unit in the configuration.
type PreviewUnit struct {
	Name    string
	Enabled bool
	Secret  bool
	Text    string
}
