package userdata

import "fmt"

// Kind is the format of user data.
type Kind int

// The formats that [Check] distinguishes.
const (
	KindText          Kind = iota // any other text
	KindEmpty                     // empty, or only white space
	KindIgnition                  // Ignition, spec 3
	KindButane                    // Butane, which is translated to Ignition
	KindMachineConfig             // OpenShift's MachineConfig, of which spec.config is used
	KindIgnition2                 // Ignition, spec 2
	KindIgnition1                 // Ignition, spec 1
	KindCloudConfig               // cloud-init's #cloud-config format
	KindCloudInit                 // other formats of cloud-init: #include, boothooks, Jinja templates
	KindShellScript               // a script that starts with #!
	KindMIME                      // MIME, usually multipart, for cloud-init
	KindGzip                      // gzip, whose content is checked
	KindBase64                    // base64, whose content is checked
	KindJSONString                // one JSON string, whose content is checked
	KindConfigDrive               // a whole configdrive instead of user data
	KindJSON                      // any other JSON
	KindYAML                      // any other YAML
	KindBinary                    // binary data other than gzip
)

// String returns the name used in reports and JSON.
func (k Kind) String() string {
	switch k {
	case KindText:
		return "text"
	case KindEmpty:
		return "empty"
	case KindIgnition:
		return "ignition"
	case KindButane:
		return "butane"
	case KindMachineConfig:
		return "machine-config"
	case KindIgnition2:
		return "ignition-2"
	case KindIgnition1:
		return "ignition-1"
	case KindCloudConfig:
		return "cloud-config"
	case KindCloudInit:
		return "cloud-init"
	case KindShellScript:
		return "shell-script"
	case KindMIME:
		return "mime"
	case KindGzip:
		return "gzip"
	case KindBase64:
		return "base64"
	case KindJSONString:
		return "json-string"
	case KindConfigDrive:
		return "configdrive"
	case KindJSON:
		return "json"
	case KindYAML:
		return "yaml"
	case KindBinary:
		return "binary"
	}
	return fmt.Sprintf("kind %d", int(k))
}

// MarshalText returns the same as String.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
