package ignition

import (
	"slices"

	"ironworks/ignition/sshkey"
	"ironworks/models"
)

// Ramdisk has the inputs for booting a CoreOS live image into ironic-python-agent; Build makes
// the Ignition configuration. The zero value lacks an Ironic URL and a login;
// [Ramdisk.WithDefaults] sets the other defaults.
type Ramdisk struct {
	// Profile selects whose configuration is generated. The other fields mean the same in all
	// profiles; Build refuses fields that a profile does not support.
	Profile Profile

	// IronicURLs are the addresses of Ironic, tried in order: a URL, or a host with an optional
	// port, where TLS determines the scheme and the default port is 6385. A single "mdns" makes
	// the agent discover Ironic.
	IronicURLs []string
	// TLS says how the agent verifies Ironic. The default is off if all URLs are plain HTTP. Otherwise it is ca if CA
	// is set, and system if not.
	TLS TLSMode
	// CA has the certificates, in PEM, that TLSCA trusts.
	CA string

	// Agent selects the program that speaks to Ironic. Program is for AgentBuiltin; Image,
	// Registries and PullSecret are for AgentContainer. Only the default profile has a builtin
	// agent.
	Agent   AgentKind
	Program AgentProgram
	// Image is the agent's container image: a full reference, best with a digest, because tags move. The publisher of
	// this image has root on every node.
	Image string
	// Registries are the registries that need other than the default verification.
	Registries []Registry
	// PullSecret is the content of a containers-auth.json, plain or base64-encoded.
	PullSecret models.Secret

	// SSHKeys may log in as core. Without a key, login is impossible: a configuration disables
	// the live system's autologin.
	SSHKeys []sshkey.Key
	// AllowKeyOptions accepts keys with options, such as command="…".
	AllowKeyOptions bool
	// NoLogin confirms that the ramdisk has no login.
	NoLogin bool

	// Hostname is the name of this node, or "" for a configuration that all nodes share.
	Hostname string
	// KeyFiles are NetworkManager's connection profiles, in order.
	KeyFiles []KeyFile
	// IPOptions are the network kernel arguments (ip=…) of the installed system.
	IPOptions   []string
	CopyNetwork CopyNetwork
	Proxies     Proxies
	// NTPServers are added to the live system's servers.
	NTPServers []string
	// VLANs are the VLANs that the agent configures: IFACE.ID, an interface name or MAC for all
	// VLANs that LLDP announces there, or "all".
	VLANs []string

	// Collectors are the inspection collectors. If empty, the default profile uses
	// [DefaultCollectors], and the others use the agent image's default.
	Collectors []string
	// InspectionCallback is the URL for inspection data. Leave it empty to send the data to
	// Ironic: the agent exits if the URL does not respond. The metal3 profile takes the base URL
	// of ironic-inspector, and adds port 5050 and /v1/continue if missing.
	InspectionCallback string
	// Options are additional settings of the agent.
	Options []AgentOption
	// Debug enables the agent's debug log, which includes secrets of user data.
	Debug bool

	// JournalPush configures the ramdisk to send its journal to a console.
	JournalPush JournalPush
	// SSHHostKey is the ed25519 private key of the ramdisk's SSH server, in OpenSSH's format.
	// Without it, each boot generates a key. Every client that can download the image can read
	// the key.
	SSHHostKey models.Secret

	// Units and Files are added unchanged. They belong to other parts of the console that run next to the agent.
	Units []RamdiskUnit
	Files []RamdiskFile
	// Extra is the user's own Ignition configuration (JSON, spec 3). It is merged by Ignition's
	// rules as the child, so Extra wins on conflicts.
	Extra []byte
}

// Registry configures how podman on the ramdisk verifies one registry.
type Registry struct {
	// Host is HOST or HOST:PORT, as in the image reference.
	Host string
	Mode RegistryMode
	// CA has the certificates, in PEM, for RegistryCA.
	CA string
}

// KeyFile is a connection profile in NetworkManager's keyfile format.
type KeyFile struct {
	// Name is the file name below /etc/NetworkManager/system-connections. NetworkManager requires
	// the suffix .nmconnection.
	Name string
	// Content may contain passwords.
	Content models.Secret
}

// Proxies are the proxies that podman and the agent use. Their URLs may contain a password,
// which errors mask.
type Proxies struct {
	HTTP, HTTPS string
	// No are hosts, domains and networks to reach without a proxy. The hosts of IronicURLs are
	// added, because Ironic calls the agent back directly.
	No []string
}

// RamdiskUnit is a systemd unit.
type RamdiskUnit struct {
	Name, Contents string
	// Enabled requires an [Install] section in Contents.
	Enabled bool
}

// RamdiskFile is a file that Ignition writes.
type RamdiskFile struct {
	// Path is absolute.
	Path    string
	Content []byte
	// Mode has the permissions of the file. Secret files must have 0o600 or stricter.
	Mode int
	// Overwrite replaces an existing file of the live system; without it, an existing file fails
	// the boot. Append appends to an existing file.
	Overwrite, Append bool
	// Secret hides the content in previews.
	Secret bool
}

// Document is a configuration that Ignition's validation has accepted.
type Document struct {
	// JSON includes the secrets.
	JSON []byte
	// Version is the lowest spec version that supports the configuration.
	Version string
	// Notes are warnings about valid inputs.
	Notes []RamdiskNote
	// SecretPaths are the paths of files and the names of units whose content previews hide.
	SecretPaths []string
}

// RamdiskNote is a warning about an input. It contains no secrets.
type RamdiskNote struct {
	Field RamdiskField
	Text  string
}

// Build returns the configuration. The error joins all problems of the inputs; [InputErrors]
// returns them with their fields.
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

// withNotes puts the notes about the inputs before the notes of build, without duplicates.
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
