package bios

const (
	textNotHere    = " Recordings have no BIOS settings."
	textLoading    = "Loading BIOS settings …"
	textNone       = "No BIOS settings. Ironic reads them during cleaning and inspection if bios_interface is redfish."
	textNoMatch    = "No setting matches the filter; {clear-filter} clears it."
	textNoSetting  = "no setting selected"
	textReadOnly   = "read-only setting"
	textNoChanges  = "nothing to apply: {open} changes a setting"
	textNoFilter   = "no filter"
	textEditTitle  = "BIOS setting %s"
	textEditHelp   = "allowed: %s; the current value drops the change"
	textEditAny    = "any value; the current value drops the change"
	textGoldenAsk  = "Copy BIOS settings of a golden node"
	textGoldenHelp = "name or UUID; settings that differ become changes, which are not sent yet"
	textGoldenSame = "BIOS settings are those of %s"
	textGoldenSome = "%s from %s; {hardware-apply} applies them"
	textGoldenLeft = "%d differ but cannot be copied"
)
