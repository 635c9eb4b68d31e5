package conductor

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
)

//go:embed properties.json
var propertiesFile []byte

// properties returns Ironic's descriptions of the driver_info keys that interfaces of the given kind use. For "raid",
// it returns the descriptions of a logical disk's properties.
func properties(kind string) map[string]string {
	var all map[string]map[string]string
	if err := json.Unmarshal(propertiesFile, &all); err != nil {
		panic(err) // the embedded file is always valid
	}
	return all[kind]
}

// DriverProperties returns descriptions of the driver_info keys that the default interfaces of the given hardware
// type use.
func (c *Conductor) DriverProperties(driver string) (map[string]string, error) {
	if !slices.Contains(c.options.HardwareTypes, driver) {
		return nil, driverNotFound(driver)
	}
	all := map[string]string{}
	// If a key has two descriptions, that of the boot interface takes precedence.
	for _, kind := range append(slices.Clone(interfaceKinds), "boot") {
		name, err := c.defaultInterface(driver, kind, "")
		if err != nil {
			continue
		}
		switch kind + "/" + name {
		case "boot/ipxe", "boot/pxe":
			maps.Copy(all, properties("networkBoot"))
		case "boot/redfish-virtual-media":
			maps.Copy(all, properties("virtualMedia"))
		case "deploy/direct", "deploy/custom-agent":
			maps.Copy(all, properties("agent"))
		case "inspect/redfish", "management/redfish", "power/redfish", "bios/redfish", "raid/redfish":
			maps.Copy(all, properties("redfish"))
		case "vendor/fake":
			maps.Copy(all, map[string]string{"B1": "B1 description. Required.", "B2": "B2 description. Required."})
		}
	}
	return all, nil
}

// RAIDProperties returns descriptions of the properties of a logical disk.
func (c *Conductor) RAIDProperties(driver string) (map[string]string, error) {
	if !slices.Contains(c.options.HardwareTypes, driver) {
		return nil, driverNotFound(driver)
	}
	return properties("raid"), nil
}
