package hardware

const (
	textNotHere = " Recordings contain no hardware settings."
	textLoading = "Loading…"

	textNoInspection = "Not inspected. {inspect} inspects the hardware."

	textNoBIOS     = "No BIOS settings. Ironic reads them during cleaning and inspection if bios_interface is redfish."
	textEditTitle  = "BIOS setting %s"
	textEditAny    = "any value; entering the current value drops the change"
	textGoldenAsk  = "Copy BIOS settings from a golden node"
	textGoldenHelp = "name or UUID; settings that differ become changes, which are not sent yet"
	textGoldenSome = "%s from %s; {hardware-apply} applies them"
	textOnlyBIOS   = "only for BIOS settings"

	textNoFirmware  = "No firmware. Ironic reads it during cleaning and inspection if firmware_interface is redfish."
	textUpdateTitle = "Update firmware: %s"
	textImageHelp   = "http, https, file or swift; fetched by the BMC, or by Ironic on its behalf"
	textPauseHelp   = "seconds that Ironic waits after the update; empty: Ironic's setting"

	textOnlyRAID       = "only for RAID volumes"
	textNoInterface    = "raid_interface is no-raid: set it to redfish (hardware) or agent (software), if enabled in Ironic"
	textLevelHelp      = "a software RAID (raid_interface agent) needs level 1 for its first volume"
	textSizeHelp       = "GiB, or MAX for all the space on the given drives"
	textRootHelp       = "Ironic makes this volume the root device"
	textDrivesHelp     = "IDs of the controller's drives, separated by commas; a JSON list of hints for software RAID; empty: Ironic chooses"
	textTypeHelp       = "only drives of this type, if Ironic chooses them"
	textControllerHelp = "ID of the controller; empty: Ironic chooses"
)
