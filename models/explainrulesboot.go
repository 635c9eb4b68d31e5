package models

// explainBootRules are about boot devices, boot modes, bootloaders and ports.
var explainBootRules = []ExplainRule{
	{
		ID: RuleID(ErrorBootDevice), Errors: []ErrorID{ErrorBootDevice}, Confidence: ConfidenceMedium,
		Verdict:  "The BMC does not let Ironic change the boot device",
		Evidence: []EvidenceField{EvBMCAddress, EvBootMode, EvStep},
		Not:      []string{"the image: it is written already"},
		Next:     ExplainNext{Text: "Look for a pending job at the BMC and for what boot devices it offers; set it there, then try again.", Key: "boot-device", Command: "ironworks boot-device {node}"},
		Source:   "ironic/drivers/modules/agent.py",
	},
	{
		ID: RuleID(ErrorBootMode), Errors: []ErrorID{ErrorBootMode}, Confidence: ConfidenceHigh,
		Verdict:  "The BMC does not let Ironic change the boot mode to the one that the node asks for",
		Evidence: []EvidenceField{EvBootMode, EvBMCMode, EvBMCAddress},
		Not:      []string{"the image or the disk"},
		Next:     ExplainNext{Text: "Set the mode in the BIOS, or ask for the one that the machine has.", Key: "set", Command: "ironworks set {node} properties.capabilities=boot_mode:MODE"},
		Source:   "ironic/drivers/modules/redfish/management.py",
	},
	{
		ID: RuleID(ErrorBootloader), Errors: []ErrorID{ErrorBootloader}, Confidence: ConfidenceMedium,
		Verdict:  "No bootloader could be installed: the image and the machine's boot mode do not go together, or it has no EFI partition",
		Evidence: []EvidenceField{EvBootMode, EvBMCMode, EvStep},
		Not:      []string{"the way to the image: it is written already"},
		Next:     ExplainNext{Text: "Use a whole-disk image for the machine's boot mode, UEFI as a rule.", Key: "overview", Command: "ironworks node {node}"},
		Source:   "ironic/drivers/modules/agent.py",
	},
	{
		ID: RuleID(ErrorUEFIBoot), Errors: []ErrorID{ErrorUEFIBoot}, Confidence: ConfidenceHigh,
		Verdict:  "The ramdisk could not set up UEFI boot from the disk: it has no EFI partition, or the firmware refused the entry",
		Evidence: []EvidenceField{EvBootMode, EvStep},
		Not:      []string{"the way to the image: it is written already"},
		Next:     ExplainNext{Text: "Use an image with an EFI partition; see that the machine boots by UEFI.", Key: "overview", Command: "ironworks node {node}"},
		Instead:  []RuleID{RuleID(ErrorBootloader)},
		Source:   "the step install_coreos; ironic_python_agent/efi_utils.py",
	},
	{
		ID: RuleID(ErrorNoPort), Errors: []ErrorID{ErrorNoPort}, Confidence: ConfidenceHigh,
		Verdict:  "The node has no port: Ironic does not know a MAC to boot it by",
		Evidence: []EvidenceField{EvState},
		Not:      []string{"DHCP: it was not asked"},
		Next:     ExplainNext{Text: "Add a port with the MAC of the NIC that the machine boots from.", Key: "network", Command: "baremetal port create MAC --node {node}"},
		Source:   "ironic/drivers/modules/pxe_base.py",
	},
	{
		ID: RuleID(ErrorMACConflict), Errors: []ErrorID{ErrorMACConflict}, Confidence: ConfidenceHigh,
		Verdict: "Another port has this MAC already",
		Not:     []string{"a fault of the machine, unless its NIC has the MAC of every other one"},
		Next:    ExplainNext{Text: "Find whose port it is; NICs by USB to the BMC often have all the same one and need no port.", Key: "network", Command: "baremetal port list --address MAC"},
		Source:  "ironic/common/exception.py: MACAlreadyExists",
	},
	{
		ID: RuleID(ErrorInspectConflict), Errors: []ErrorID{ErrorInspectConflict}, Confidence: ConfidenceHigh,
		Verdict:  "The inspected machine could not be told from others: its MACs or its BMC's address are of several nodes, or of none",
		Evidence: []EvidenceField{EvState, EvBMCAddress},
		Not:      []string{"a machine that did not boot: it sent its inventory"},
		Next:     ExplainNext{Text: "Compare the ports of the nodes with the machine's MACs; add what is missing, remove what is another's.", Key: "network", Command: "ironworks node {node}"},
		Instead:  []RuleID{RuleID(ErrorInspectTimeout)},
		Source:   "ironic/drivers/modules/inspect_utils.py",
	},
}
