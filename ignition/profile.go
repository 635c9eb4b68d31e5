package ignition

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// Profile selects whose ramdisk configuration is generated.
type Profile string

// The profiles. docs/reference/ramdisk.md describes their output and differences.
const (
	// ProfileDefault is the ironworks profile, used when a Ramdisk has no profile.
	ProfileDefault Profile = "default"
	// ProfileClassic reproduces ignition/build.py of openshift/ironic-agent-image.
	ProfileClassic Profile = "classic"
	// ProfileMetal3 reproduces openshift/image-customization-controller (ICC).
	ProfileMetal3 Profile = "metal3"
)

// Profiles returns all profiles, the default first.
func Profiles() []Profile { return []Profile{ProfileDefault, ProfileClassic, ProfileMetal3} }

// ParseProfile parses the name of a profile. "" is the default profile.
func ParseProfile(name string) (Profile, error) {
	if name == "" {
		return ProfileDefault, nil
	}
	if p := Profile(name); slices.Contains(Profiles(), p) {
		return p, nil
	}
	return "", &InputError{Field: FieldProfile, Value: name, Why: "is not a profile", Hint: "use " + words(Profiles())}
}

// TLSMode selects how the agent and the Ironic API verify each other's certificate.
type TLSMode string

// The TLS modes.
const (
	// TLSOff is plain HTTP. Every host on the provisioning network can read and change the
	// traffic.
	TLSOff TLSMode = "off"
	// TLSCA trusts only the certificate authorities in Ramdisk.CA.
	TLSCA TLSMode = "ca"
	// TLSSystem trusts the certificate authorities of the agent image.
	TLSSystem TLSMode = "system"
	// TLSInsecure is HTTPS without verification of any certificate, whether of Ironic, an image server, or the
	// inspection callback.
	TLSInsecure TLSMode = "insecure"
)

// TLSModes returns all TLS modes.
func TLSModes() []TLSMode { return []TLSMode{TLSOff, TLSCA, TLSSystem, TLSInsecure} }

// RegistryMode selects how podman verifies a registry.
type RegistryMode string

// The registry modes.
const (
	// RegistryVerified trusts the certificate authorities of the live system.
	RegistryVerified RegistryMode = "verified"
	// RegistryCA trusts the certificate authorities in Registry.CA for this host.
	RegistryCA RegistryMode = "ca"
	// RegistryInsecure accepts any certificate, and plain HTTP. A host that impersonates the
	// registry gets root on every node.
	RegistryInsecure RegistryMode = "insecure"
)

// RegistryModes returns all registry modes.
func RegistryModes() []RegistryMode {
	return []RegistryMode{RegistryVerified, RegistryCA, RegistryInsecure}
}

// CopyNetwork selects whether coreos-installer copies the ramdisk's network configuration to
// the installed system (--copy-network).
type CopyNetwork string

// The values of CopyNetwork.
const (
	// CopyNetworkAuto copies if there are keyfiles. "" means the same.
	CopyNetworkAuto   CopyNetwork = "auto"
	CopyNetworkAlways CopyNetwork = "always"
	CopyNetworkNever  CopyNetwork = "never"
)

// CopyNetworks returns all values of CopyNetwork.
func CopyNetworks() []CopyNetwork {
	return []CopyNetwork{CopyNetworkAuto, CopyNetworkAlways, CopyNetworkNever}
}

// words joins the names of an enumeration for a message.
func words[T ~string](names []T) string {
	texts := models.Texts(names)
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return fmt.Sprintf("%s or %s", strings.Join(texts[:last], ", "), texts[last])
}
