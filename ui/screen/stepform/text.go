package stepform

const (
	textBIOSHelp            = "settings by name; the node's bios interface checks them (:bios lists them)"
	textFirmwareHelp        = "bios=URL, bmc=URL or nic:ID=URL"
	textInjectPathHelp      = "absolute path on the root disk"
	textInjectFileHelp      = "local file, at most 1 MiB, or URL that the agent downloads"
	textInjectModeHelp      = "octal; empty: the agent's default"
	textInjectOwnerHelp     = "number; empty: root"
	textInjectPartitionHelp = "number or device; empty: the partition that has the first folder of the path"
	textInjectVerifyHelp    = "verify the certificates of URLs; empty: the agent's setting"
	textInjectDirModeHelp   = "octal; only of a folder that the agent creates"
	textInjectDeleteHelp    = "delete the file instead"
	textInjectOneOf         = "want a content or Delete, not both"
	textInjectPathWrong     = "want an absolute path of a file, such as /etc/motd"
	textInjectInRoot        = "a file in / needs its partition"
	textInjectContent       = "content of %s, in Base64"
	textWantNumber          = "want a number"

	textRAIDHelp        = "LEVEL:SIZE for each volume, with :root and :NAME, or JSON"
	textRAIDPlaceholder = "1:100:root 5:200:data"
	textRAIDOf          = "target RAID of %s: %s"
	textNoRAIDOf        = "%s has no target RAID; set one first (:raid)"
	textVolumesHelp     = "volumes of the target RAID to create"
	textExistingHelp    = "delete deletes all volumes and their data first"
	textRAIDVolumeWrong = "%q: want LEVEL:SIZE, with :root, :NAME or :drives=ID,ID"
	textRAIDSizeWrong   = "%q: the size must be in GiB, or MAX"
	textRAIDProblemsOf  = "%s: %s"
)
