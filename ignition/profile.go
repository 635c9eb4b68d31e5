package ignition

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// Profile selects the program whose ramdisk configuration [Ramdisk.Build] reproduces.
type Profile string

// These are the supported profiles. docs/reference/ramdisk.md describes their output and differences.
const (
	// ProfileDefault is the profile of ironworks itself. It is used if a Ramdisk has no profile.
	ProfileDefault Profile = "default"
	// ProfileClassic reproduces the output of ignition/build.py in openshift/ironic-agent-image.
	ProfileClassic Profile = "classic"
	// ProfileMetal3 reproduces the output of openshift/image-customization-controller (ICC).
	ProfileMetal3 Profile = "metal3"
)

// Profiles returns all profiles, the default first.
func Profiles() []Profile { return []Profile{ProfileDefault, ProfileClassic, ProfileMetal3} }

// ParseProfile returns the profile with the given name. An empty name means the default profile.
func ParseProfile(name string) (Profile, error) {
	if name == "" {
		return ProfileDefault, nil
	}
	if p := Profile(name); slices.Contains(Profiles(), p) {
		return p, nil
	}
	return "", &InputError{Field: FieldProfile, Value: name, Why: "is not a known profile", Hint: "use " + words(Profiles())}
}

// TLSMode selects how the agent and the Ironic API verify each other's certificates.
type TLSMode string

// These are the supported TLS modes.
const (
	// TLSOff uses plain HTTP. Any host on the provisioning network can read and change the traffic.
	TLSOff TLSMode = "off"
	// TLSCA trusts only the certificate authorities in Ramdisk.CA.
	TLSCA TLSMode = "ca"
	// TLSSystem trusts the certificate authorities of the agent image.
	TLSSystem TLSMode = "system"
	// TLSInsecure uses HTTPS without verifying Ironic, an image server, or the inspection callback.
	TLSInsecure TLSMode = "insecure"
)

// TLSModes returns all TLS modes.
func TLSModes() []TLSMode { return []TLSMode{TLSOff, TLSCA, TLSSystem, TLSInsecure} }

// RegistryMode selects how podman verifies a registry.
type RegistryMode string

// These are the supported registry modes.
const (
	// RegistryVerified trusts the certificate authorities of the live system.
	RegistryVerified RegistryMode = "verified"
	// RegistryCA trusts the certificate authorities in Registry.CA for this host.
	RegistryCA RegistryMode = "ca"
	// RegistryInsecure accepts any certificate and plain HTTP. An impostor gains root access to every node.
	RegistryInsecure RegistryMode = "insecure"
)

// RegistryModes returns all registry modes.
func RegistryModes() []RegistryMode {
	return []RegistryMode{RegistryVerified, RegistryCA, RegistryInsecure}
}

// CopyNetwork selects whether the installed system gets the ramdisk's network configuration (--copy-network).
type CopyNetwork string

// These are the supported values of CopyNetwork.
const (
	// CopyNetworkAuto copies the network configuration if there are keyfiles. The empty value means the same.
	CopyNetworkAuto   CopyNetwork = "auto"
	CopyNetworkAlways CopyNetwork = "always"
	CopyNetworkNever  CopyNetwork = "never"
)

// CopyNetworks returns all values of CopyNetwork.
func CopyNetworks() []CopyNetwork {
	return []CopyNetwork{CopyNetworkAuto, CopyNetworkAlways, CopyNetworkNever}
}

// words joins names for use in a message, for example "a, b or c".
func words[T ~string](names []T) string {
	texts := models.Texts(names)
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return fmt.Sprintf("%s or %s", strings.Join(texts[:last], ", "), texts[last])
}
