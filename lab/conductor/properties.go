package conductor

import (
	"maps"
	"slices"
)

// networkBootProperties are keys of driver_info for booting from the network.
var networkBootProperties = map[string]string{
	"deploy_kernel":                "UUID (from Glance) of the deployment kernel. Required.",
	"deploy_ramdisk":               "UUID (from Glance) of the ramdisk that is mounted at boot time. Required.",
	"force_persistent_boot_device": "Controls the persistency of boot order changes. 'Always' will make all changes persistent, 'Default' will make all but the final one upon instance deployment non-persistent, and 'Never' will make no persistent changes at all. The old values 'True' and 'False' are still supported but deprecated in favor of the new ones.Defaults to 'Default'. Optional.",
	"kernel_append_params":         "Additional kernel parameters to pass down to instance kernel. These parameters can be consumed by the kernel or by the applications by reading /proc/cmdline. Mind severe cmdline size limit. When used with virtual media, only applies to ISO images that Ironic builds, but not to pre-built ISOs provided via e.g. deploy_iso. Overrides the [pxe]/kernel_append_params configuration option, use %default% to insert its value.",
	"rescue_kernel":                "UUID (from Glance) of the rescue kernel. This value is required for rescue mode.",
	"rescue_ramdisk":               "UUID (from Glance) of the rescue ramdisk with agent that is used at node rescue time. This value is required for rescue mode.",
}

// agentProperties are those for the agent.
var agentProperties = map[string]string{
	"agent_verify_ca":          "Either a Boolean value, a path to a CA_BUNDLE file or directory with certificates of trusted CAs. If set to True ironic will verify the agent's certificate; if False the driver will ignore verifying the SSL certificate. If it's a path the driver will use the specified certificate or one of the certificates in the directory. Defaults to True. Optional",
	"deploy_forces_oob_reboot": "Whether Ironic should force a reboot of the Node via the out-of-band channel after deployment is complete. Provides compatibility with older deploy ramdisks. Defaults to False. Optional.",
	"deploy_kernel":            "UUID (from Glance) of the deployment kernel. Required.",
	"deploy_ramdisk":           "UUID (from Glance) of the ramdisk with agent that is used at deploy time. Required.",
	"image_download_source":    "Specifies whether direct deploy interface should try to use the image source directly or if ironic should cache the image on the conductor and serve it from ironic's own HTTP server. Accepted values are \"swift\", \"http\" and \"local\". Optional.",
	"image_http_proxy":         "URL of a proxy server for HTTP connections. Optional.",
	"image_https_proxy":        "URL of a proxy server for HTTPS connections. Optional.",
	"image_no_proxy":           "A comma-separated list of host names, IP addresses and domain names (with optional :port) that will be excluded from proxying. To denote a domain name, use a dot to prefix the domain name. This value will be ignored if ``image_http_proxy`` and ``image_https_proxy`` are not specified. Optional.",
}

// redfishProperties are those for BMCs.
var redfishProperties = map[string]string{
	"firmware_update_unresponsive_bmc_wait": "Number of seconds to wait to avoid the BMC becoming unresponsive during firmware updates. If not set, the default value is taken from the Ironic configuration ``firmware_update_wait_unresponsive_bmc`` in the ``[redfish]`` section.",
	"redfish_address":                       "The URL address to the Redfish controller. It must include the authority portion of the URL. If the scheme is missing, https is assumed. For example: https://mgmt.vendor.com. If a path is added, it will be used as the API endpoint root_prefix. Required",
	"redfish_auth_type":                     "Redfish HTTP client authentication method. Can be \"basic\", \"session\" or \"auto\". If not set, the default value is taken from Ironic configuration as ``[redfish]auth_type`` option.",
	"redfish_password":                      "User account password. Although this property is not mandatory, it's highly recommended to set a password. Optional",
	"redfish_system_id":                     "The canonical path to the ComputerSystem resource that the driver will interact with. It should include the root service, version and the unique resource path to a ComputerSystem within the same authority as the redfish_address property. For example: /redfish/v1/Systems/1. This property is only required if target BMC manages more than one ComputerSystem. Otherwise ironic will pick the only available ComputerSystem automatically.",
	"redfish_tls_ciphers":                   "OpenSSL cipher list to use for connections to the Redfish BMC. If not set, the default value is taken from Ironic configuration as ``[redfish]tls_ciphers`` option.",
	"redfish_tls_minimum_version":           "Minimum TLS protocol version for connections to the Redfish BMC. Can be \"1.1\", \"1.2\", or \"1.3\". If not set, the default value is taken from Ironic configuration as ``[redfish]tls_minimum_version`` option.",
	"redfish_username":                      "User account with admin/server-profile access privilege. Although this property is not mandatory it's highly recommended to set a username. Optional",
	"redfish_verify_ca":                     "Either a Boolean value, a path to a CA_BUNDLE file or directory with certificates of trusted CAs. If set to True the driver will verify the host certificates; if False the driver will ignore verifying the SSL certificate. If it's a path the driver will use the specified certificate or one of the certificates in the directory. Defaults to True. Optional",
}

// raidProperties describe a logical disk of a RAID.
var raidProperties = map[string]string{
	"controller":               "Controller to use for this logical disk. If not specified, the driver will choose a suitable RAID controller on the bare metal node. Optional.",
	"disk_type":                "The type of disk preferred. Valid values are 'hdd' and 'ssd'. If this is not specified, disk type will not be a selection criterion for choosing backing physical disks. Optional.",
	"interface_type":           "The interface type of disk. Valid values are 'sata', 'scsi' and 'sas'. If this is not specified, interface type will not be a selection criterion for choosing backing physical disks. Optional.",
	"is_root_volume":           "Specifies whether this disk is a root volume. By default, this is False. Optional.",
	"number_of_physical_disks": "Number of physical disks to use for this logical disk. By default, the driver uses the minimum number of disks required for that RAID level. Optional.",
	"physical_disks":           "The physical disks to use for this logical disk. If not specified, the driver will choose suitable physical disks to use. Optional.",
	"raid_level":               "RAID level for the logical disk. Valid values are 'JBOD', '0', '1', '2', '5', '6', '1+0', '5+0' and '6+0'. Required.",
	"share_physical_disks":     "Specifies whether other logical disks can share physical disks with this logical disk. By default, this is False. Optional.",
	"size_gb":                  "Size in GiB (Integer) for the logical disk. Use 'MAX' as size_gb if this logical disk is supposed to use the rest of the space available. Required.",
	"volume_name":              "Name of the volume to be created. If this is not specified, it will be auto-generated. Optional.",
}

// DriverProperties are the keys of driver_info that the default interfaces of a
// hardware type know.
func (c *Conductor) DriverProperties(driver string) (map[string]string, error) {
	if !slices.Contains(c.options.HardwareTypes, driver) {
		return nil, driverNotFound(driver)
	}
	all := map[string]string{}
	// Where two tell of a key, boot has the last word.
	for _, kind := range append(slices.Clone(interfaceKinds), "boot") {
		name, err := c.defaultInterface(driver, kind, "")
		if err != nil {
			continue
		}
		switch kind + "/" + name {
		case "boot/ipxe", "boot/pxe":
			maps.Copy(all, networkBootProperties)
		case "boot/redfish-virtual-media":
			maps.Copy(all, virtualMediaProperties)
		case "deploy/direct", "deploy/custom-agent":
			maps.Copy(all, agentProperties)
		case "inspect/redfish", "management/redfish", "power/redfish", "bios/redfish":
			maps.Copy(all, redfishProperties)
		case "vendor/fake":
			maps.Copy(all, map[string]string{"B1": "B1 description. Required.", "B2": "B2 description. Required."})
		}
	}
	return all, nil
}

// RAIDProperties describe a logical disk.
func (c *Conductor) RAIDProperties(driver string) (map[string]string, error) {
	if !slices.Contains(c.options.HardwareTypes, driver) {
		return nil, driverNotFound(driver)
	}
	return maps.Clone(raidProperties), nil
}

// virtualMediaProperties are those for virtual media.
var virtualMediaProperties = map[string]string{
	"deploy_iso":     "URL or Glance UUID of the deployment ISO to use. Required if deploy_kernel/deploy_ramdisk are not set.",
	"deploy_kernel":  "URL or Glance UUID of the deployment kernel. Required if deploy_iso is not set.",
	"deploy_ramdisk": "URL or Glance UUID of the ramdisk that is mounted at boot time. Required if deploy_iso is not set.",
}
