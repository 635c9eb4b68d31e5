package userdata

import "fmt"

// Kind is what user data turned out to be.
type Kind int

// The kinds of user data that [Check] tells apart.
const (
	KindText          Kind = iota // text that is none of the others
	KindEmpty                     // nothing, or white space only
	KindIgnition                  // Ignition, spec 3
	KindButane                    // Butane, which is translated
	KindMachineConfig             // OpenShift's MachineConfig, whose spec.config is taken
	KindIgnition2                 // Ignition, spec 2
	KindIgnition1                 // Ignition, spec 1
	KindCloudConfig               // cloud-init's #cloud-config
	KindCloudInit                 // cloud-init's other formats: #include, boothooks, Jinja templates
	KindShellScript               // #!
	KindMIME                      // MIME, usually multipart, for cloud-init
	KindGzip                      // gzip, whose content is looked at
	KindBase64                    // base64, whose content is looked at
	KindJSONString                // one JSON string, whose content is looked at
	KindConfigDrive               // a whole configdrive, not its user data only
	KindJSON                      // JSON that is none of the others
	KindYAML                      // YAML that is none of the others
	KindBinary                    // neither text nor gzip
)

// String is the name in reports and in JSON.
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

// MarshalText writes the name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
