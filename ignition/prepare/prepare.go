// Package prepare makes what a machine boots out of what an operator gives: options
// of a command, or the fields of a form, which are the same. It reads the files that
// are named, asks the SSH agent, and hands the result on: into an ISO, behind an
// initramfs, to a server.
package prepare

import (
	"context"
	"io"
	"io/fs"

	"ironworks/ignition"
	"ironworks/models"
)

// Inputs are what an operator gives, as texts. Paths name files that Build reads.
// Empty means the default of the profile.
type Inputs struct {
	// Profile is the name of an ignition.Profile.
	Profile string

	// IronicURLs to NoLogin are the fields of ignition.Ramdisk of these names.
	IronicURLs []string
	TLS        string
	CAFile     string
	Image      string
	// Registries are HOST=verified, HOST=insecure or HOST=ca:FILE.
	Registries     []string
	PullSecretFile string
	// SSHKeyFiles are public keys' files, SSHKeys the keys themselves; SSHAgent takes
	// those that the agent holds, too.
	SSHKeyFiles     []string
	SSHKeys         []string
	SSHAgent        bool
	AllowKeyOptions bool
	NoLogin         bool
	Hostname        string
	// KeyFiles are NetworkManager's, or folders of them.
	KeyFiles    []string
	IPOptions   []string
	CopyNetwork string
	HTTPProxy   string
	HTTPSProxy  string
	NoProxy     []string
	NTPServers  []string
	VLANs       []string
	Collectors  []string
	// InspectionCallback is a URL.
	InspectionCallback string
	// Options are NAME=VALUE or GROUP.NAME=VALUE of the agent; in the classic profile
	// lines of its configuration, as they are.
	Options []string
	Debug   bool
	// JournalPush is where the console takes the ramdisk's journal, as machines reach it:
	// https://HOST:PORT. SSHHostKey gives the ramdisk's SSH server a key that the console
	// knows. What of them only the machine may know is made anew with each Build.
	JournalPush string
	SSHHostKey  bool
	// ExtraFile is Ignition or Butane that is merged in.
	ExtraFile string

	// Host, Registry and InsecureRegistry are build.py's: the classic profile's only.
	Host             string
	Registry         string
	InsecureRegistry bool

	// NMStateFile and RegistriesFile are the metal3 profile's only: the output of
	// `nmstatectl gc`, and a registries.conf.
	NMStateFile    string
	RegistriesFile string

	// node is the one that ForNode was given.
	node string
}

// IdentityOrder says what the console shall know machines by that boot a configuration:
// a token with which they send their journal, and an SSH host key.
type IdentityOrder struct {
	Push, HostKey bool
	// Node is the name of the node that it is for; empty if it is for all.
	Node string
}

// Identity is what the console knows them by.
type Identity struct {
	Token models.Secret
	// Certificate is that of the console, in PEM, which machines pin.
	Certificate string
	HostKey     models.Secret
	// Keep makes the console know it.
	Keep func() error
}

// Maker makes documents. It is given all that it reads from.
type Maker struct {
	// Open reads a file by its path; "~" is resolved by the caller's Open.
	Open func(path string) (io.ReadCloser, error)
	// Dir lists a folder, sorted.
	Dir func(path string) ([]fs.DirEntry, error)
	// AgentKeys lists the public keys of the SSH agent, a line each; nil if there is
	// none.
	AgentKeys func(ctx context.Context) ([]string, error)
	// Home has .ssh with the keys that are the default; empty for none.
	Home string
	// Identity makes one; nil where nothing can be kept.
	Identity func(IdentityOrder) (Identity, error)
	// Preview makes configurations to look at: no identity in them is kept.
	Preview bool
	// Ironic is that of the context; its URL is empty if there is none.
	Ironic ignition.IronicEndpoint
}

// Built is a configuration with its preview.
type Built struct {
	Document ignition.Document
	Preview  Preview
}

// Preview is what a configuration holds, without its secrets. All texts are safe to
// show.
type Preview struct {
	Spec string
	// Size is the JSON's, Packed what it takes of a live image's area, in bytes.
	Size, Packed int
	Files        []PreviewFile
	Units        []PreviewUnit
	// Logins are who may log in, a line each with the key's fingerprint.
	Logins []string
	Notes  []ignition.RamdiskNote
	// Text is the JSON, indented, with secrets masked.
	Text string
}

// PreviewFile is a file, decoded.
type PreviewFile struct {
	Path   string
	Mode   uint32
	Size   int
	Secret bool
	// Text is the content; empty for a secret, and for what is no text.
	Text string
}

// PreviewUnit is a unit of systemd.
type PreviewUnit struct {
	Name    string
	Enabled bool
	Secret  bool
	Text    string
}
