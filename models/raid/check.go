package raid

import (
	"fmt"

	"ironworks/models/hints"
)

// Keys of a configuration and of a logical disk.
const (
	keyDisks    = "logical_disks"
	keyLevel    = "raid_level"
	keySize     = "size_gb"
	keyName     = "volume_name"
	keyRoot     = "is_root_volume"
	keyShare    = "share_physical_disks"
	keyType     = "disk_type"
	keyProtocol = "interface_type"
	keyCount    = "number_of_physical_disks"
	keyCtrl     = "controller"
	keyPhysical = "physical_disks"
)

// allMax is the size of a logical disk that takes all the space.
const allMax = "MAX"

// configSchema is ironic/drivers/raid_config_schema.json of 39.0.0, which 21.4.4 has as well.
func configSchema() *schema {
	return &schema{
		kind: "object", required: []string{keyDisks}, closed: true,
		properties: []property{{keyDisks, schema{kind: "array", items: diskSchema(), least: 1}}},
	}
}

func diskSchema() *schema {
	return &schema{
		kind: "object", required: []string{keyLevel, keySize}, closed: true, needs: [2]string{keyPhysical, keyCtrl},
		properties: []property{
			{keyLevel, schema{kind: "string", words: Levels()}},
			{keySize, schema{anyOf: []schema{{kind: "integer", minimum: true}, {kind: "string", words: []string{allMax}}}}},
			{keyName, schema{kind: "string"}},
			{keyRoot, schema{kind: "boolean"}},
			{keyShare, schema{kind: "boolean"}},
			{keyType, schema{kind: "string", words: diskTypes()}},
			{keyProtocol, schema{kind: "string", words: interfaceTypes()}},
			{keyCount, schema{kind: "integer", minimum: true, exclusive: true}},
			{keyCtrl, schema{kind: "string"}},
			{keyPhysical, schema{anyOf: []schema{
				{kind: "array", items: &schema{kind: "string"}},
				{kind: "array", items: &schema{kind: "object"}, least: 2},
			}}},
		},
	}
}

// Levels returns the RAID levels of the API.
func Levels() []string { return []string{"JBOD", "0", "1", "2", "5", "6", "1+0", "5+0", "6+0"} }

func diskTypes() []string { return []string{"hdd", "ssd"} }

func interfaceTypes() []string { return []string{"sata", "scsi", "sas"} }

// Check returns the error with which Ironic's API refuses a configuration, an InvalidParameterValue, or nil
// (validate_configuration in ironic/common/raid.py). The configuration is a value of a YAML or JSON file, or a
// *hints.PythonDict.
func Check(config any) error {
	value := pythonOf(config)
	if problems := configSchema().check(value); len(problems) > 0 {
		return &Error{Class: InvalidParameterValue, Reason: "RAID config validation error: " + bestMatch(problems).text}
	}
	roots := 0
	given, _ := value.(*hints.PythonDict)
	for _, disk := range disksOf(given) {
		if hints.PythonTruthy(disk.Get(keyRoot)) {
			roots++
		}
	}
	if roots > 1 {
		return &Error{Class: InvalidParameterValue, Reason: fmt.Sprintf("Raid config cannot have more than one root volume. %d root volumes were specified", roots)}
	}
	return nil
}

// disksOf returns the logical disks that are objects.
func disksOf(config *hints.PythonDict) []*hints.PythonDict {
	list, _ := config.Get(keyDisks).(hints.PythonList)
	var disks []*hints.PythonDict
	for _, v := range list {
		if disk, ok := v.(*hints.PythonDict); ok {
			disks = append(disks, disk)
		}
	}
	return disks
}

// CheckHardware adds the check of the raid interface redfish to [Check] (RedfishRAID.validate_raid_config).
func CheckHardware(config any) error {
	if err := Check(config); err != nil {
		return err
	}
	given, _ := pythonOf(config).(*hints.PythonDict)
	for _, disk := range disksOf(given) {
		if disk.Get(keyProtocol) == "scsi" {
			return &Error{Class: InvalidParameterValue, Reason: "interface type `scsi` not supported by Redfish RAID"}
		}
	}
	return nil
}
