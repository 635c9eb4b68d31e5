// Package prepare turns an operator's inputs, from command flags or a form, into boot images. It reads the input
// files, asks the SSH agent, and puts the configuration into an ISO, into an initramfs, or on a server.
package prepare

import (
	"context"
	"io"
	"io/fs"

	"ironworks/ignition"
	"ironworks/models"
)

// Inputs are an operator's inputs as text. Some are paths of files, which Build reads. An empty field stands for the
// default of the profile.
type Inputs struct {
	// Profile is the name of an [ignition.Profile].
	Profile string

	// IronicURLs to NoLogin correspond to the fields of [ignition.Ramdisk].
	IronicURLs []string
	TLS        string
	CAFile     string
	// Agent is an [ignition.AgentKind]. The other fields are for the builtin agent: AgentBinary is the path of
	// ironworks-agent ("": next to this program), and AgentURL is its URL for machines. AgentEmbed puts the agent into
	// the configuration instead.
	Agent       string
	AgentBinary string
	AgentURL    string
	AgentEmbed  bool
	// AgentArch is the architecture of the machines as in Ironic's cpu_arch, or "" if unknown.
	AgentArch string
	Image     string
	// Registries have the form HOST=verified, HOST=insecure or HOST=ca:FILE.
	Registries     []string
	PullSecretFile string
	// SSHKeyFiles are paths of public keys, SSHKeys the keys themselves. SSHAgent adds the keys
	// of the SSH agent.
	SSHKeyFiles     []string
	SSHKeys         []string
	SSHAgent        bool
	AllowKeyOptions bool
	NoLogin         bool
	Hostname        string
	// KeyFiles are paths of NetworkManager keyfiles, or of folders with them.
	KeyFiles    []string
	IPOptions   []string
	CopyNetwork string
	HTTPProxy   string
	HTTPSProxy  string
	NoProxy     []string
	NTPServers  []string
	VLANs       []string
	Collectors  []string
	// InspectionCallback is the URL for inspection data.
	InspectionCallback string
	// Options are settings of the agent, as NAME=VALUE or GROUP.NAME=VALUE. In the classic profile, they are literal
	// lines of the agent's configuration.
	Options []string
	Debug   bool
	// JournalPush is the console's address for the ramdisk's journal, as machines reach it:
	// https://HOST:PORT. SSHHostKey gives the ramdisk's SSH server a key known to the console.
	// Each Build generates new secrets for both.
	JournalPush string
	SSHHostKey  bool
	// ExtraFile is an Ignition or Butane file to merge.
	ExtraFile string

	// Host, Registry and InsecureRegistry are options of build.py, for the classic profile only.
	Host             string
	Registry         string
	InsecureRegistry bool

	// NMStateFile and RegistriesFile are for the metal3 profile only: the output of `nmstatectl
	// gc`, and a registries.conf.
	NMStateFile    string
	RegistriesFile string

	// node is the name that ForNode was called with.
	node string
	// program is the agent that is served, and agentCA has the certificates that verify its URL; see
	// [Maker.PublishAgent].
	program []byte
	agentCA string
}

// IdentityOrder requests what identifies the machines that boot a configuration: a token for
// their journal, and an SSH host key.
type IdentityOrder struct {
	Push, HostKey bool
	// Node is the name of the node, or "" for all nodes.
	Node string
}

// Identity identifies machines to the console.
type Identity struct {
	Token models.Secret
	// Certificate is the console's certificate, in PEM, which machines pin.
	Certificate string
	HostKey     models.Secret
	// Keep stores the identity in the console.
	Keep func() error
}

// Maker builds configurations. Its fields give it access to the system.
type Maker struct {
	// Open opens a file. It resolves "~".
	Open func(path string) (io.ReadCloser, error)
	// Dir lists a folder, sorted.
	Dir func(path string) ([]fs.DirEntry, error)
	// AgentKeys lists the public keys of the SSH agent, one line each. It is nil without an
	// agent.
	AgentKeys func(ctx context.Context) ([]string, error)
	// Programs is the folder of this program, where ironworks-agent is by default; "" for none.
	Programs string
	// Home is the folder whose .ssh has the default keys, or "" for no default keys.
	Home string
	// Identity creates an identity. It is nil if identities cannot be stored.
	Identity func(IdentityOrder) (Identity, error)
	// Preview builds configurations for display: their identity is not stored.
	Preview bool
	// Ironic is the Ironic of the context. Without a context, its URL is "".
	Ironic ignition.IronicEndpoint
}

// Built is a configuration with its preview.
type Built struct {
	Document ignition.Document
	Preview  Preview
}

// Preview shows a configuration without its secrets. All text is sanitized.
type Preview struct {
	Spec string
	// Size is the length of the JSON. Packed is the space it takes in a live image's area. Both
	// are in bytes.
	Size, Packed int
	Files        []PreviewFile
	Units        []PreviewUnit
	// Logins are the users who can log in, one line each, with key fingerprints.
	Logins []string
	Notes  []ignition.RamdiskNote
	// Text is the JSON, indented, with secrets masked.
	Text string
}

// PreviewFile is a decoded file.
type PreviewFile struct {
	Path   string
	Mode   uint32
	Size   int
	Secret bool
	// Text is the content of the file. It is "" for secret or binary content.
	Text string
}

// PreviewUnit is a systemd unit.
type PreviewUnit struct {
	Name    string
	Enabled bool
	Secret  bool
	Text    string
}
