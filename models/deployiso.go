package models

// DeployISOFields are the fields of driver_info that name an ISO with the ramdisk, the one
// of today first: Ironic reads the others still, which drivers gave a prefix, where the
// first is missing.
func DeployISOFields() []string {
	return []string{"deploy_iso", "redfish_deploy_iso", "ilo_deploy_iso", "irmc_deploy_iso"}
}

// DeployPairFields are the fields of driver_info that name a kernel and its ramdisk, in the
// same order.
func DeployPairFields() [][2]string {
	return [][2]string{{"deploy_kernel", "deploy_ramdisk"}, {"ilo_deploy_kernel", "ilo_deploy_ramdisk"}}
}

// DeployISO is the address of the ISO with the node's ramdisk, the instance's own first;
// empty where it boots another way. It may hold credentials.
func DeployISO(n *Node) string {
	for _, place := range []map[string]any{n.InstanceInfo, n.DriverInfo} {
		for _, field := range DeployISOFields() {
			if address := TextOf(place[field]); address != "" {
				return address
			}
		}
	}
	return ""
}
