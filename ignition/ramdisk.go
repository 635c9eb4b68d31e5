// Package ignition builds the Ignition configuration that makes a CoreOS live image Ironic's deploy ramdisk.
package ignition

import (
	"cmp"
	"slices"

	"ironworks/ignition/sshkey"
	"ironworks/models"
)

// Ramdisk holds the inputs for booting a CoreOS live image into ironic-python-agent, which Build converts to Ignition.
// The zero value lacks an Ironic URL and a way to log in; [Ramdisk.WithDefaults] sets other defaults.
type Ramdisk struct {
	// Profile selects the program whose output Build reproduces. The other fields have the same meaning in all
	// profiles. Build rejects fields that the profile does not support.
	Profile Profile

	// IronicURLs lists the addresses of Ironic, which the agent tries in order. Each is a URL, or a host with an
	// optional port. For a host, TLS determines the scheme, and the default port is 6385. If the only element is
	// "mdns", the agent discovers Ironic by multicast DNS.
	IronicURLs []string
	// TLS selects how the agent verifies Ironic. The default is off if all URLs are plain HTTP. Otherwise, it is ca if
	// CA is set, and system if not.
	TLS TLSMode
	// CA holds the certificates, in PEM format, that TLSCA trusts.
	CA string

	// Agent selects the program that communicates with Ironic. Program applies only to AgentBuiltin; Image,
	// Registries and PullSecret apply only to AgentContainer. Only the default profile supports AgentBuiltin.
	Agent   AgentKind
	Program AgentProgram
	// Image is the full reference of the agent's container image. It should contain a digest, because tags can move
	// to other images. The publisher of this image has root access to every node.
	Image string
	// Registries lists the registries that should not be verified in the default way.
	Registries []Registry
	// PullSecret is the content of a containers-auth.json file. It may be base64-encoded.
	PullSecret models.Secret

	// SSHKeys lists the keys that can log in as the core user. Without a key, logging in is impossible, because a
	// configuration disables the autologin of the live system.
	SSHKeys []sshkey.Key
	// AllowKeyOptions allows keys with options, such as command="…".
	AllowKeyOptions bool
	// NoLogin confirms that no login to the ramdisk is needed, so that Build does not warn about missing SSH keys.
	NoLogin bool

	// Hostname is the hostname of the node. It is empty if all nodes share the configuration.
	Hostname string
	// KeyFiles lists connection profiles for NetworkManager, in order.
	KeyFiles []KeyFile
	// IPOptions lists network kernel arguments (ip=…) for the installed system.
	IPOptions   []string
	CopyNetwork CopyNetwork
	Proxies     Proxies
	// NTPServers lists servers to use in addition to the servers of the live system.
	NTPServers []string
	// VLANs lists the VLANs that the agent configures. Each element is IFACE.ID for one VLAN, the name or MAC address
	// of an interface for all VLANs that LLDP announces there, or "all".
	VLANs []string

	// Collectors lists the inspection collectors. If it is empty, the default profile uses [DefaultCollectors], and the
	// others use the agent image's default.
	Collectors []string
	// InspectionCallback is the URL to which the agent sends inspection data. If it is empty, the agent sends the
	// data to Ironic. The agent exits if the URL does not respond. In the metal3 profile, it is the base URL of
	// ironic-inspector; port 5050 and the path /v1/continue are added if they are missing.
	InspectionCallback string
	// Options lists additional settings of the agent.
	Options []AgentOption
	// Debug enables the agent's debug log, which contains user data with its secrets.
	Debug bool

	// JournalPush configures the ramdisk to send its journal to a console.
	JournalPush JournalPush
	// SSHHostKey is the ed25519 private key of the ramdisk's SSH server, in OpenSSH format. If it is empty, each boot
	// generates a new key. Any client that can download the image can read the key.
	SSHHostKey models.Secret

	// Extra is the user's own Ignition configuration (JSON, spec 3). It is merged into the generated configuration
	// according to Ignition's rules. If both conflict, Extra takes precedence.
	Extra []byte
}

// Registry configures how podman on the ramdisk verifies one registry.
type Registry struct {
	// Host has the form HOST or HOST:PORT, as in the image reference.
	Host string
	Mode RegistryMode
	// CA holds the certificates, in PEM format, that RegistryCA trusts.
	CA string
}

// KeyFile is a connection profile in NetworkManager's keyfile format.
type KeyFile struct {
	// Name is the name of a file in /etc/NetworkManager/system-connections, with the required suffix .nmconnection.
	Name string
	// Content may contain passwords.
	Content models.Secret
}

// Proxies holds the proxies that podman and the agent use. Their URLs may contain a password; it is masked in errors.
type Proxies struct {
	HTTP, HTTPS string
	// No lists hosts, domains and networks without a proxy. The hosts of IronicURLs are added automatically.
	No []string
}

// ramdiskFile is a file that Ignition writes on the ramdisk.
type ramdiskFile struct {
	path, content string
	// mode holds the permission bits. Files with secrets have 0600; previews hide their content.
	mode int
	// appended makes Ignition append the content to a file of the live system, which is otherwise replaced.
	appended bool
}

// Document is a configuration that passed Ignition's validation.
type Document struct {
	// JSON is the configuration, including its secrets.
	JSON []byte
	// Version is the spec version of JSON: the lowest one that supports it, unless the profile fixes the version.
	Version string
	// Notes lists warnings about valid inputs.
	Notes []RamdiskNote
	// SecretPaths lists the paths of files and the names of units whose content is hidden in previews.
	SecretPaths []string
}

// RamdiskNote is a warning about an input. It contains no secrets.
type RamdiskNote struct {
	Field RamdiskField
	Text  string
}

// Build returns the configuration. The error joins all problems with the inputs; [InputErrors] splits it.
func (r Ramdisk) Build() (Document, error) {
	switch r.Profile {
	case ProfileClassic:
		return buildWithNotes(r.classic())
	case ProfileMetal3:
		return buildWithNotes(r.metal3())
	case ProfileDefault, "":
		return r.build()
	default:
		_, err := ParseProfile(string(r.Profile))
		return Document{}, err
	}
}

// buildWithNotes builds a profile's configuration unless err is set. It puts notes first, without duplicates.
func buildWithNotes(profile interface{ Build() (Document, error) }, notes []RamdiskNote, err error) (Document, error) {
	if err != nil {
		return Document{}, err
	}
	doc, err := profile.Build()
	for _, note := range doc.Notes {
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	doc.Notes = notes
	return doc, err
}

// DefaultAgentImage is the Metal3 project's agent image for CoreOS. Its tag can move; a digest is safer.
const DefaultAgentImage = "quay.io/metal3-io/ironic-agent:latest"

// DefaultCollectors returns the same collectors that the agent uses by default. The configuration lists them
// explicitly, because the agent skips inspection if neither collectors nor a callback are configured.
func DefaultCollectors() []string { return []string{"default", "logs"} }

// IronicEndpoint describes the Ironic of a context.
type IronicEndpoint struct {
	// URL is the URL of the Ironic API.
	URL string
	// CA holds the certificates, in PEM format, that verify the API. If it is empty, the system's are used.
	CA string
	// Insecure means that the API's certificate is not verified.
	Insecure bool
}

// NewRamdisk returns a Ramdisk with all defaults for the given Ironic. The caller should add SSH keys.
func NewRamdisk(ironic IronicEndpoint) Ramdisk {
	r := Ramdisk{IronicURLs: []string{ironic.URL}, CA: ironic.CA}
	if ironic.Insecure {
		r.TLS = TLSInsecure
	}
	if u, problem := agentURL(ironic.URL, false); problem == nil && len(u) > 5 && u[:5] == "http:" {
		// The context may contain certificates that are meant for other services.
		r.TLS, r.CA = TLSOff, ""
	}
	return r.WithDefaults()
}

// WithDefaults returns a copy of r in which empty fields are set to their defaults. The fields with defaults are
// Profile, Image (for the container agent), TLS (if the URLs determine it) and CopyNetwork.
func (r Ramdisk) WithDefaults() Ramdisk {
	r.Profile = cmp.Or(r.Profile, ProfileDefault)
	if r.Image == "" && !r.builtin() {
		r.Image = DefaultAgentImage
	}
	if r.TLS == "" && len(r.IronicURLs) > 0 {
		if _, mode := r.agentURLs(&inputs{}); mode != "" {
			r.TLS = mode
		}
	}
	r.CopyNetwork = cmp.Or(r.CopyNetwork, CopyNetworkAuto)
	return r
}
