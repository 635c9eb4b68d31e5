package machine

import (
	"encoding/xml"
	"maps"
	"net/http"
	"slices"
	"strings"
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
func typeOf(schema string) string { return typeIn(schema, schema) }

// typeIn returns the @odata.type of the named type in the given schema.
func typeIn(schema, name string) string { return "#" + namespace(schema) + "." + name }

// namespace returns the name of a schema, including its version.
func namespace(schema string) string {
	if version := schemaVersions[schema]; version != "" {
		return schema + "." + version
	}
	return schema
}

// describe sets the Link header, which names the schema of the resource (DSP0266, Link header).
func describe(header http.Header, value any) {
	resource, _ := value.(object)
	kind, _ := resource["@odata.type"].(string)
	if kind == "" {
		return
	}
	kind = strings.TrimPrefix(kind, "#")
	header.Set("Link", "<"+schemasURL+kind[:strings.LastIndexByte(kind, '.')]+".json>; rel=describedby")
}

// getService returns the service document, which lists the service root and the resources to which the root links.
func getService(w http.ResponseWriter, _ *http.Request) {
	entry := func(name, path string) object { return object{"name": name, "kind": "Singleton", "url": path} }
	all, resource := []object{entry("Service", root+"/")}, rootResource()
	for _, name := range slices.Sorted(maps.Keys(resource)) {
		if below, ok := resource[name].(object); ok && below["@odata.id"] != nil {
			path, _ := below["@odata.id"].(string)
			all = append(all, entry(name, path))
		}
	}
	show(w, object{"@odata.context": metadataPath, "value": append(all, entry("Sessions", sessionsPath))})
}

// reference refers to a schema in the metadata document.
type reference struct {
	URI     string `xml:"Uri,attr"`
	Include []include
}

type include struct {
	XMLName   xml.Name `xml:"edmx:Include"`
	Namespace string   `xml:"Namespace,attr"`
	Alias     string   `xml:"Alias,attr,omitempty"`
}

// metadata is OData's metadata document. Its entity container is the service root.
type metadata struct {
	XMLName    xml.Name    `xml:"edmx:Edmx"`
	Prefix     string      `xml:"xmlns:edmx,attr"`
	Version    string      `xml:"Version,attr"`
	References []reference `xml:"edmx:Reference"`
	Schema     struct {
		Space     string `xml:"xmlns,attr"`
		Namespace string `xml:"Namespace,attr"`
		Container struct {
			Name    string `xml:"Name,attr"`
			Extends string `xml:"Extends,attr"`
		} `xml:"EntityContainer"`
	} `xml:"edmx:DataServices>Schema"`
}

func getMetadata(w http.ResponseWriter, _ *http.Request) {
	all := metadata{Prefix: "http://docs.oasis-open.org/odata/ns/edmx", Version: "4.0"}
	for _, schema := range slices.Sorted(maps.Keys(schemaVersions)) {
		known := reference{URI: schemasURL + schema + "_v1.xml", Include: []include{{Namespace: schema}}}
		if schemaVersions[schema] != "" {
			known.Include = append(known.Include, include{Namespace: namespace(schema)})
		}
		all.References = append(all.References, known)
	}
	all.References = append(all.References, reference{URI: schemasURL + "RedfishExtensions_v1.xml", Include: []include{
		{Namespace: "RedfishExtensions.v1_0_0", Alias: "Redfish"},
	}})
	all.Schema.Space, all.Schema.Namespace = "http://docs.oasis-open.org/odata/ns/edm", "Service"
	all.Schema.Container.Name, all.Schema.Container.Extends = "Service", namespace("ServiceRoot")+".ServiceContainer"
	body, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		fail(w, http.StatusInternalServerError, internalError, "The metadata cannot be written: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/xml")
	_, _ = w.Write(append([]byte(xml.Header), body...))
}
