package compare

const (
	textNotHere     = " Recordings contain no BIOS or firmware data."
	textLoading     = "Reading BIOS settings…"
	textFirmware    = "Reading firmware versions…"
	textSame        = "No differences from %s."
	textOne         = "One node: {hardware-golden} compares it with a golden node."
	textNoFirmware  = "No firmware data: Ironic reads it during cleaning and inspection, if the firmware interface supports it."
	textGoldenTitle = "Golden node"
	textGoldenHelp  = "name or UUID; the other nodes are compared with it"
	textNoSuchNode  = "no node has this name or UUID"
	textOnlyBIOS    = "only BIOS settings are copied"
	textNothing     = "no setting to copy"
	textDrift       = "golden node %s; %s"
	textMoreNodes   = " and %d more"
)
