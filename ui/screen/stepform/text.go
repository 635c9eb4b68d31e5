package stepform

// Texts that are used more than once, or are too long for the lines that use them.
const (
	textBIOSHelp            = "settings by name; the node's bios interface checks them (:bios lists them)"
	textFirmwareHelp        = "bios=URL, bmc=URL or nic:ID=URL"
	textFirmwareWaitHelp    = "seconds that Ironic waits after each update; empty: Ironic's settings"
	textInjectFileHelp      = "local file, at most 1 MiB, or URL that the agent downloads"
	textInjectModeHelp      = "octal; empty: the agent's default"
	textInjectOwnerHelp     = "number; empty: root"
	textInjectPartitionHelp = "number or device; empty: the partition with the path's top-level folder"
	textInjectVerifyHelp    = "verify the certificates of URLs; empty: the agent's setting"
	textInjectDirModeHelp   = "octal; only for folders that the agent creates"
	textRAIDHelp            = "LEVEL:SIZE for each volume, with :root and :NAME, or JSON"
	textRAIDPlaceholder     = "1:100:root 5:200:data"
	textNoRAIDOf            = "%s has no target RAID; set one first (:raid)"
	textExistingHelp        = "delete deletes all volumes and their data first"
	textRAIDVolumeWrong     = "%q: use LEVEL:SIZE, optionally with :root and :NAME"
)
