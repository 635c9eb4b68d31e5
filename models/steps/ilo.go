package steps

// ofILO returns the steps of HPE's management interfaces, which only 21.4.4 offers.
func ofILO() []Known {
	both, ilo5 := drivers("ilo", "ilo5"), drivers("ilo5")
	rows := []Known{
		{Name: "activate_license", Drivers: both, Kinds: kinds("c"), Description: "activate a license", Args: args(requiredArgument("ilo_license_key", Text, "license key"))},
		{Name: "add_https_certificate", Drivers: both, Kinds: kinds("c"), Description: "install a certificate", Args: args(requiredArgument("cert_file", Text, "URL of the signed certificate"))},
		{Name: "clear_ca_certificates", Drivers: ilo5, Kinds: kinds("c"), Description: "delete CA certificates", Args: args(requiredArgument("certificate_files", List, "URLs of the certificates"))},
		{Name: "clear_secure_boot_keys", Drivers: both, Kinds: kinds("dc"), Description: "delete the Secure Boot keys"},
		{Name: "create_csr", Drivers: both, Kinds: kinds("c"), Description: "create a certificate signing request", Args: args(requiredArgument("csr_params", Object, "City, CommonName, Country, OrgName, State"))},
		{Name: "erase_devices", Drivers: ilo5, Kinds: kinds("c"), Description: "erase all disks through the controller", Args: args(optionalArgument("erase_pattern", Object, "", "pattern by type: {hdd, ssd}"))},
		{
			Name: "flash_firmware_sum", Drivers: both, Kinds: kinds("d"), Description: "update firmware with Smart Update Manager",
			Args: args(sppURL, sppChecksum, sppParts),
		},
		{Name: "one_button_secure_erase", Drivers: ilo5, Kinds: kinds("c"), Description: "erase the whole machine, including its BMC settings"},
		{Name: "reset_bios_to_default", Automated: 10, Drivers: both, Kinds: kinds("dc"), Description: "reset BIOS settings to their defaults"},
		{Name: "reset_ilo", Drivers: both, Kinds: kinds("dc"), Description: "restart the iLO"},
		{Name: "reset_ilo_credential", Automated: 30, Drivers: both, Kinds: kinds("c"), Description: "set a random password for Ironic's BMC user"},
		{
			Name: "reset_ilo_credential", Drivers: both, Kinds: kinds("d"), Description: "change the password of Ironic's BMC user",
			Args: args(requiredArgument("ilo_password", Text, "new password")),
		},
		{Name: "reset_secure_boot_keys_to_default", Automated: 20, Drivers: both, Kinds: kinds("dc"), Description: "restore the default Secure Boot keys"},
		{
			Name: "security_parameters_update", Drivers: both, Kinds: kinds("c"), Description: "change security dashboard settings",
			Args: args(requiredArgument("security_parameters", List, "parameters, each {param, enable, ignore}")),
		},
		{
			Name: "update_auth_failure_logging_threshold", Drivers: both, Kinds: kinds("c"), Description: "change how rejected passwords are logged",
			Args: args(optionalArgument("logging_threshold", Number, "1", "rejected passwords per log entry"), ignores),
		},
		{
			Name: "update_firmware", Drivers: both, Kinds: kinds("dc"), Description: "update firmware from images",
			Args: args(requiredArgument("firmware_update_mode", Text, "ilo"), requiredArgument("firmware_images", List, "images, each {url, checksum, component}")),
		},
		{
			Name: "update_firmware_sum", Drivers: both, Kinds: kinds("c"), Description: "update firmware with Smart Update Manager",
			Args: args(sppURL, sppChecksum, sppParts),
		},
		{
			Name: "update_minimum_password_length", Drivers: both, Kinds: kinds("c"), Description: "change the minimum password length",
			Args: args(optionalArgument("password_length", Number, "8", "characters"), ignores),
		},
	}
	for i := range rows {
		rows[i].Interface, rows[i].Release = "management", onlyOld
	}
	return rows
}
