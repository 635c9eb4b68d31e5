package ignition

import (
	"fmt"
	"slices"
	"strings"
)

// Profile says whose ramdisk configuration is made.
type Profile string

// The profiles. What they produce and where they differ stands in
// docs/reference/ramdisk.md.
const (
	// ProfileDefault is ours. A Ramdisk without a profile has it.
	ProfileDefault Profile = "default"
	// ProfileClassic is that of ignition/build.py of openshift/ironic-agent-image.
	ProfileClassic Profile = "classic"
	// ProfileMetal3 is that of openshift/image-customization-controller.
	ProfileMetal3 Profile = "metal3"
)

// Profiles are all profiles, the default first.
func Profiles() []Profile { return []Profile{ProfileDefault, ProfileClassic, ProfileMetal3} }

// ParseProfile reads a profile's name; nothing is the default.
func ParseProfile(name string) (Profile, error) {
	if name == "" {
		return ProfileDefault, nil
	}
	if p := Profile(name); slices.Contains(Profiles(), p) {
		return p, nil
	}
	return "", &InputError{Field: FieldProfile, Value: name, Why: "is not a profile", Hint: "use " + words(Profiles())}
}

// TLSMode says how the agent and the Ironic API find out that they talk to the
// right one.
type TLSMode string

// The modes.
const (
	// TLSOff is plain HTTP. Everything on the provisioning network can be read
	// and changed by everybody who is on it.
	TLSOff TLSMode = "off"
	// TLSCA trusts the certificate authorities in Ramdisk.CA, and no others.
	TLSCA TLSMode = "ca"
	// TLSSystem trusts those that the agent image comes with.
	TLSSystem TLSMode = "system"
	// TLSInsecure is HTTPS that believes every certificate: of Ironic, of image
	// servers and of the inspection callback.
	TLSInsecure TLSMode = "insecure"
)

// TLSModes are all modes.
func TLSModes() []TLSMode { return []TLSMode{TLSOff, TLSCA, TLSSystem, TLSInsecure} }

// RegistryMode says how podman finds out that a registry is the right one.
type RegistryMode string

// The modes.
const (
	// RegistryVerified trusts the authorities of the live system.
	RegistryVerified RegistryMode = "verified"
	// RegistryCA trusts the authorities in Registry.CA for this host.
	RegistryCA RegistryMode = "ca"
	// RegistryInsecure takes every certificate, and plain HTTP. Who answers
	// for the registry is root on every node.
	RegistryInsecure RegistryMode = "insecure"
)

// RegistryModes are all modes.
func RegistryModes() []RegistryMode {
	return []RegistryMode{RegistryVerified, RegistryCA, RegistryInsecure}
}

// CopyNetwork says whether coreos-installer takes the ramdisk's network
// configuration over to the installed system (its --copy-network).
type CopyNetwork string

// The choices.
const (
	// CopyNetworkAuto copies when there are keyfiles. It is what "" means.
	CopyNetworkAuto   CopyNetwork = "auto"
	CopyNetworkAlways CopyNetwork = "always"
	CopyNetworkNever  CopyNetwork = "never"
)

// CopyNetworks are all choices.
func CopyNetworks() []CopyNetwork {
	return []CopyNetwork{CopyNetworkAuto, CopyNetworkAlways, CopyNetworkNever}
}

// words puts names of an enumeration into a sentence.
func words[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return fmt.Sprintf("%s or %s", strings.Join(texts[:last], ", "), texts[last])
}
