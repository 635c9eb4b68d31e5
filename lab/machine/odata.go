package machine

import (
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// Paths of OData's documents that describe the service (DSP0266, OData service and metadata documents).
const (
	odataPath    = root + "/odata"
	metadataPath = root + "/$metadata"
	schemasURL   = "http://redfish.dmtf.org/schemas/v1/"
)

// schemaVersions maps the schemas that the service uses to their versions. Schemas of collections have no version.
var schemaVersions = map[string]string{
	"AccountService": "v1_15_1", "AttributeRegistry": "v1_3_8", "Bios": "v1_2_1", "CertificateCollection": "",
	"Chassis": "v1_23_0", "ChassisCollection": "", "ComputerSystem": "v1_20_0", "ComputerSystemCollection": "", "Drive": "v1_17_0",
	"EthernetInterface": "v1_9_0", "EthernetInterfaceCollection": "", "LogEntry": "v1_16_0", "LogEntryCollection": "",
	"LogService": "v1_5_0", "LogServiceCollection": "", "Manager": "v1_18_0", "ManagerCollection": "", "Message": "v1_1_2",
	"MessageRegistryFile": "v1_1_3", "MessageRegistryFileCollection": "", "NetworkAdapter": "v1_9_0", "NetworkAdapterCollection": "",
	"NetworkDeviceFunction": "v1_9_0", "NetworkDeviceFunctionCollection": "", "NetworkPort": "v1_4_1", "NetworkPortCollection": "",
	"PCIeDevice": "v1_11_0", "PCIeDeviceCollection": "", "PCIeFunctionCollection": "", "PCIeFunction": "v1_5_0", "Port": "v1_9_0", "PortCollection": "",
	"Power": "v1_7_1", "Processor": "v1_18_0", "ProcessorCollection": "", "Role": "v1_3_1", "RoleCollection": "",
	"SecureBoot": "v1_1_0", "SecureBootDatabase": "v1_0_1", "SecureBootDatabaseCollection": "", "ServiceRoot": "v1_15_0",
	"Session": "v1_5_0", "SessionCollection": "", "SessionService": "v1_1_8", "Settings": "v1_3_5", "SimpleStorage": "v1_3_1",
	"SimpleStorageCollection": "", "SoftwareInventory": "v1_10_0", "SoftwareInventoryCollection": "", "Storage": "v1_15_0",
	"StorageCollection": "", "StorageController": "v1_7_0", "StorageControllerCollection": "", "Task": "v1_7_1", "TaskCollection": "",
	"TaskService": "v1_2_0", "Thermal": "v1_7_1", "UpdateService": "v1_11_3", "VirtualMedia": "v1_6_1", "VirtualMediaCollection": "",
	"Volume": "v1_9_0", "VolumeCollection": "",
}

// typeOf returns the @odata.type of a resource with the given schema.
func typeOf(schema string) string { return "#" + namespace(schema) + "." + schema }

// namespace returns the name of a schema, including its version.
func namespace(schema string) string {
	if version := schemaVersions[schema]; version != "" {
		return schema + "." + version
	}
	return schema
}

// getService returns the service document, which lists the service root and the resources to which the root links.
func getService(*http.Request) object {
	entry := func(name, path string) object { return object{"name": name, "kind": "Singleton", "url": path} }
	all, service := []object{entry("Service", root+"/")}, getRoot(nil)
	for _, name := range slices.Sorted(maps.Keys(service)) {
		if below, ok := service[name].(object); ok && below["@odata.id"] != nil {
			path, _ := below["@odata.id"].(string)
			all = append(all, entry(name, path))
		}
	}
	return object{"@odata.context": metadataPath, "value": append(all, entry("Sessions", sessionsPath))}
}

// getMetadata responds with OData's metadata document, whose entity container is the service root.
func getMetadata(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/xml")
	write := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }
	write("%s", xml.Header+`<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">`+"\n")
	for _, schema := range slices.Sorted(maps.Keys(schemaVersions)) {
		write("  <edmx:Reference Uri=%q>\n", schemasURL+schema+"_v1.xml")
		write("    <edmx:Include Namespace=%q></edmx:Include>\n", schema)
		if schemaVersions[schema] != "" {
			write("    <edmx:Include Namespace=%q></edmx:Include>\n", namespace(schema))
		}
		write("  </edmx:Reference>\n")
	}
	write(`  <edmx:Reference Uri=%q>
    <edmx:Include Namespace="RedfishExtensions.v1_0_0" Alias="Redfish"></edmx:Include>
  </edmx:Reference>
  <edmx:DataServices>
    <Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Service">
      <EntityContainer Name="Service" Extends=%q></EntityContainer>
    </Schema>
  </edmx:DataServices>
</edmx:Edmx>`, schemasURL+"RedfishExtensions_v1.xml", namespace("ServiceRoot")+".ServiceContainer")
	return nil
}
