package raid

import (
	"fmt"

	"ironworks/models/hints"
	"ironworks/models/jsonschema"
)

// KeyDisks is the key of a configuration; the other keys are those of its logical disks.
const (
	KeyDisks      = "logical_disks"
	KeyLevel      = "raid_level"
	KeySize       = "size_gb"
	KeyName       = "volume_name"
	KeyRoot       = "is_root_volume"
	KeyShare      = "share_physical_disks"
	KeyDiskType   = "disk_type"
	KeyInterface  = "interface_type"
	KeyCount      = "number_of_physical_disks"
	KeyController = "controller"
	KeyDrives     = "physical_disks"
)

// allMax is the size of a logical disk that takes all the space.
const allMax = "MAX"

// configSchema returns the JSON schema (draft 4) from ironic/drivers/raid_config_schema.json, with the same order of
// properties. The schema is the same in Ironic 39.0.0 and 21.4.4.
func configSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Types: []string{"object"}, Required: []string{KeyDisks}, Closed: true,
		Properties: map[string]*jsonschema.Schema{KeyDisks: {Types: []string{"array"}, Items: diskSchema(), MinItems: 1}},
	}
}

func diskSchema() *jsonschema.Schema {
	text, boolean := &jsonschema.Schema{Types: []string{"string"}}, &jsonschema.Schema{Types: []string{"boolean"}}
	oneOf := func(words ...string) *jsonschema.Schema {
		return &jsonschema.Schema{Types: []string{"string"}, Enum: words}
	}
	whole := func(exclusive bool) *jsonschema.Schema {
		return &jsonschema.Schema{Types: []string{"integer"}, Draft4: true, Minimum: new(int), Exclusive: exclusive}
	}
	return &jsonschema.Schema{
		Types: []string{"object"}, Required: []string{KeyLevel, KeySize}, Closed: true,
		Together: map[string][]string{KeyDrives: {KeyController}},
		Order:    []string{KeyLevel, KeySize, KeyName, KeyRoot, KeyShare, KeyDiskType, KeyInterface, KeyCount, KeyController, KeyDrives},
		Properties: map[string]*jsonschema.Schema{
			KeyLevel: oneOf(Levels()...), KeySize: {AnyOf: []*jsonschema.Schema{whole(false), oneOf(allMax)}},
			KeyName: text, KeyRoot: boolean, KeyShare: boolean, KeyDiskType: oneOf(diskTypes()...),
			KeyInterface: oneOf(interfaceTypes()...), KeyCount: whole(true), KeyController: text,
			KeyDrives: {AnyOf: []*jsonschema.Schema{
				{Types: []string{"array"}, Items: text},
				{Types: []string{"array"}, Items: &jsonschema.Schema{Types: []string{"object"}}, MinItems: 2},
			}},
		},
	}
}

// Levels returns the RAID levels that the API accepts.
func Levels() []string { return []string{"JBOD", "0", "1", "2", "5", "6", "1+0", "5+0", "6+0"} }

func diskTypes() []string { return []string{"hdd", "ssd"} }

func interfaceTypes() []string { return []string{"sata", "scsi", "sas"} }

// Check returns the InvalidParameterValue error with which Ironic's API rejects the configuration, or nil if the API
// accepts it (validate_configuration in ironic/common/raid.py). config is a value decoded from YAML or JSON, or a
// *hints.PythonDict.
func Check(config any) error {
	value := pythonOf(config)
	if v := configSchema().Validate(value); v != nil {
		return &Error{Class: InvalidParameterValue, Reason: "RAID config validation error: " + v.Message}
	}
	roots := 0
	given, _ := value.(*hints.PythonDict)
	for _, disk := range disksOf(given) {
		if hints.PythonTruthy(disk.Get(KeyRoot)) {
			roots++
		}
	}
	if roots > 1 {
		return &Error{Class: InvalidParameterValue, Reason: fmt.Sprintf("Raid config cannot have more than one root volume. %d root volumes were specified", roots)}
	}
	return nil
}

func disksOf(config *hints.PythonDict) []*hints.PythonDict {
	list, _ := config.Get(KeyDisks).(hints.PythonList)
	var disks []*hints.PythonDict
	for _, v := range list {
		if disk, ok := v.(*hints.PythonDict); ok {
			disks = append(disks, disk)
		}
	}
	return disks
}

// CheckHardware performs the checks of [Check], and then the additional check that the redfish RAID interface makes
// (RedfishRAID.validate_raid_config).
func CheckHardware(config any) error {
	if err := Check(config); err != nil {
		return err
	}
	given, _ := pythonOf(config).(*hints.PythonDict)
	for _, disk := range disksOf(given) {
		if disk.Get(KeyInterface) == "scsi" {
			return &Error{Class: InvalidParameterValue, Reason: "interface type `scsi` not supported by Redfish RAID"}
		}
	}
	return nil
}

// Class is the name of an Ironic error's Python class.
type Class string

// The classes of the errors that Ironic raises for RAID configurations.
const (
	InvalidParameterValue Class = "InvalidParameterValue"
	RedfishError          Class = "RedfishError"
	// Ironic does not handle errors of the following classes. They make the step fail, and their text becomes the
	// reason.
	KeyError       Class = "KeyError"
	ValueError     Class = "ValueError"
	AttributeError Class = "AttributeError"
)

// Error is an error that Ironic would report.
type Error struct {
	Class Class
	// Reason is the text without the prefix that the class adds.
	Reason string
}

// Error returns the text that Ironic stores in last_error.
func (e *Error) Error() string {
	if e.Class == RedfishError {
		return "Redfish exception occurred. Error: " + e.Reason
	}
	return e.Reason
}

func redfishError(format string, args ...any) *Error {
	return &Error{Class: RedfishError, Reason: fmt.Sprintf(format, args...)}
}
