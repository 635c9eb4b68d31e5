package ignition

import (
	"slices"

	"ironworks/ignition/sshkey"
	"ironworks/models"
)

// Ramdisk is what is asked for when a CoreOS live image shall boot into
// ironic-python-agent. Build makes the Ignition configuration of it. The zero
// value lacks an Ironic and a way to log in; [Ramdisk.WithDefaults] fills in
// what has a sensible value.
type Ramdisk struct {
	// Profile is whose configuration is made. The other fields mean the same in
	// all profiles; Build says which of them a profile cannot carry.
	Profile Profile

	// IronicURLs are where the agent finds Ironic, tried in order. A URL, or a
	// host with or without a port, in which case TLS says which scheme it is
	// and the port is 6385. "mdns" alone lets the agent look for it.
	IronicURLs []string
	// TLS is how Ironic is verified. Empty: off if all URLs are plain HTTP, else
	// ca if CA is set, else system.
	TLS TLSMode
	// CA is the certificates, in PEM, that TLSCA trusts.
	CA string

	// Image is the container of the agent: a full reference, with a digest if
	// it shall be the same one tomorrow. Who writes this image is root on every
	// node.
	Image string
	// Registries are the hosts that are not to be verified the usual way.
	Registries []Registry
	// PullSecret is the content of a containers-auth.json, plain or in base64.
	PullSecret models.Secret

	// SSHKeys may log in as core. Without one nobody can: a configuration turns
	// the live system's own login off.
	SSHKeys []sshkey.Key
	// AllowKeyOptions takes keys that have options, such as command="…".
	AllowKeyOptions bool
	// NoLogin says that nobody shall be able to log in, and that this is meant.
	NoLogin bool

	// Hostname is the name of this node, or empty for one configuration for all
	// nodes.
	Hostname string
	// KeyFiles are NetworkManager's connections, in order.
	KeyFiles []KeyFile
	// IPOptions are the kernel arguments for the network (ip=…) that the
	// installed system gets.
	IPOptions   []string
	CopyNetwork CopyNetwork
	Proxies     Proxies
	// NTPServers are asked beside those of the live system.
	NTPServers []string
	// VLANs are what the agent brings up: IFACE.ID, an interface or its MAC for
	// all VLANs that LLDP tells of there, or "all".
	VLANs []string

	// Collectors are what inspection gathers. None: [DefaultCollectors] in the
	// default profile, what the agent image says in the others.
	Collectors []string
	// InspectionCallback is where inspection data goes. Empty is best: the agent
	// uses Ironic itself. An address where nobody answers ends the agent. The
	// profile metal3 takes the base URL of ironic-inspector here, and adds port
	// 5050 and /v1/continue where they are missing.
	InspectionCallback string
	// Options are further settings of the agent.
	Options []AgentOption
	// Debug makes the agent write everything into its log, secrets of user data
	// among it.
	Debug bool

	// JournalPush makes the ramdisk send its journal to a console.
	JournalPush JournalPush
	// SSHHostKey is the ed25519 private key, in OpenSSH's format, by which the ramdisk's
	// SSH server is known; without one it makes its own at each boot. Who can fetch the
	// image has it, too.
	SSHHostKey models.Secret

	// Units and Files are added as they are: what other parts of the console
	// want to run beside the agent.
	Units []RamdiskUnit
	Files []RamdiskFile
	// Extra is the user's own Ignition configuration (JSON of spec 3). It is
	// merged by Ignition's rules, as the child: where both say something, Extra
	// wins.
	Extra []byte
}

// Registry says how podman on the ramdisk treats one registry.
type Registry struct {
	// Host is HOST or HOST:PORT, as in the image's reference.
	Host string
	Mode RegistryMode
	// CA is the certificates, in PEM, for RegistryCA.
	CA string
}

// KeyFile is one connection of NetworkManager in its own format.
type KeyFile struct {
	// Name is the file's name below /etc/NetworkManager/system-connections;
	// NetworkManager wants it to end in .nmconnection.
	Name string
	// Content may hold passwords.
	Content models.Secret
}

// Proxies are what podman uses to fetch the agent, and what the agent uses.
// Their URLs may hold a password: it does not show in errors.
type Proxies struct {
	HTTP, HTTPS string
	// No are hosts, domains and networks that are reached without a proxy. The
	// hosts of IronicURLs are added: they are reached directly, since Ironic
	// calls the agent back.
	No []string
}

// RamdiskUnit is a unit of systemd.
type RamdiskUnit struct {
	Name, Contents string
	// Enabled needs an [Install] section in Contents.
	Enabled bool
}

// RamdiskFile is a file that Ignition writes.
type RamdiskFile struct {
	// Path is absolute.
	Path    string
	Content []byte
	// Mode is the permissions, such as 0o600; Secret files may have no more.
	Mode int
	// Overwrite replaces a file that the live system has; without it such a
	// file ends the boot. Append adds to it.
	Overwrite, Append bool
	// Secret keeps the content out of previews.
	Secret bool
}

// Document is a configuration that Ignition's own validation has accepted.
type Document struct {
	// JSON has the secrets in it.
	JSON []byte
	// Version is that of the spec: the lowest one that carries what is in it.
	Version string
	// Notes are what is possible and deserves a look.
	Notes []RamdiskNote
	// SecretPaths are the files whose content a preview does not show, and the
	// names of the units for which the same holds.
	SecretPaths []string
}

// RamdiskNote is a remark on an input. It can be shown: it has no secret.
type RamdiskNote struct {
	Field RamdiskField
	Text  string
}

// Build makes the configuration. The error is all that is wrong with the
// inputs at once: [InputErrors] gives them with their fields.
func (r Ramdisk) Build() (Document, error) {
	switch r.Profile {
	case ProfileClassic:
		classic, notes, err := r.classic()
		if err != nil {
			return Document{}, err
		}
		return withNotes(notes, classic.Build)
	case ProfileMetal3:
		metal3, notes, err := r.metal3()
		if err != nil {
			return Document{}, err
		}
		return withNotes(notes, metal3.Build)
	case ProfileDefault, "":
		return r.build()
	default:
		_, err := ParseProfile(string(r.Profile))
		return Document{}, err
	}
}

// withNotes puts the remarks on the inputs before those on what was made of
// them, each once.
func withNotes(notes []RamdiskNote, build func() (Document, error)) (Document, error) {
	doc, err := build()
	for _, note := range doc.Notes {
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	doc.Notes = notes
	return doc, err
}
