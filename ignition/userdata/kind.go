package userdata

import (
	"cmp"
	"fmt"
)

// Kind is the format of user data.
type Kind int

// The formats that [Check] distinguishes.
const (
	KindText          Kind = iota // other text
	KindEmpty                     // empty, or only white space
	KindIgnition                  // Ignition, spec 3
	KindButane                    // Butane, which is translated
	KindMachineConfig             // OpenShift's MachineConfig, whose spec.config is used
	KindIgnition2                 // Ignition, spec 2
	KindIgnition1                 // Ignition, spec 1
	KindCloudConfig               // cloud-init's #cloud-config
	KindCloudInit                 // cloud-init's other formats: #include, boothooks, Jinja templates
	KindShellScript               // #!
	KindMIME                      // MIME, usually multipart, for cloud-init
	KindGzip                      // gzip, whose content is checked
	KindBase64                    // base64, whose content is checked
	KindJSONString                // one JSON string, whose content is checked
	KindConfigDrive               // a whole configdrive instead of user data
	KindJSON                      // other JSON
	KindYAML                      // other YAML
	KindBinary                    // binary data except gzip
)

var kindNames = map[Kind]string{
	KindText:          "text",
	KindEmpty:         "empty",
	KindIgnition:      "ignition",
	KindButane:        "butane",
	KindMachineConfig: "machine-config",
	KindIgnition2:     "ignition-2",
	KindIgnition1:     "ignition-1",
	KindCloudConfig:   "cloud-config",
	KindCloudInit:     "cloud-init",
	KindShellScript:   "shell-script",
	KindMIME:          "mime",
	KindGzip:          "gzip",
	KindBase64:        "base64",
	KindJSONString:    "json-string",
	KindConfigDrive:   "configdrive",
	KindJSON:          "json",
	KindYAML:          "yaml",
	KindBinary:        "binary",
}

// String returns the name used in reports and JSON.
func (k Kind) String() string {
	return cmp.Or(kindNames[k], fmt.Sprintf("kind %d", int(k)))
}

// MarshalText returns the same as String.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
