package node

// Texts that are used more than once, or are too long for the lines that use them.
const (
	// Messages and labels of the BMC tab.
	textNotConnected     = "not connected"
	textPortsNotRead     = "the ports are not loaded yet"
	textNodeNotRead      = "the node is not loaded yet"
	textKeyringHelp      = "saved after the BMC accepts it"
	textLogInTitle       = "Log in to the BMC at "
	textTrustCompare     = "Compare the fingerprint with the one on the BMC's web page: the owner of this certificate gets the BMC's password."
	textTrustUntil       = "Trusted until the console quits. To trust it permanently, add the fingerprint to the context's bmc section."
	textPowerHelp        = "bypasses Ironic; the effect is shown before sending"
	textBootOnceHelp     = "next boot only; None removes the override"
	textInsertHelp       = "URL that the BMC can reach"
	textInsertTitle      = "Insert into the virtual CD of "
	textOwnPages         = "Web interface: "
	textCopiesAddresses  = "; {copy} copies addresses."
	textBMCNotAsked      = "The BMC is queried when this tab opens; {bmc-read} queries now. Read-only: one session, closed after use."
	textBMCAgain         = "; {bmc-read} or {refresh} queries again"
	textLogInHere        = "{bmc-login} logs in to this BMC; bmc.hosts allows it permanently."
	textLogInKeep        = "{bmc-login} logs in; to store it, use the context's bmc section or IRONWORKS_BMC_PASSWORD."
	textOtherLogin       = "{bmc-login} logs in with other credentials."
	textShowsFingerprint = "{bmc-trust} shows the certificate's fingerprint; you can then trust it."
	textIPMIHint         = "Data from Ironic. To test the BMC connection, use {validate}; power actions go through Ironic."

	// Messages and labels of the Disks tab.
	textNoDisk = "no disk"

	// Messages that every tab can show.
	textDeletedNode = " This node was deleted. The data is from before the deletion."

	// Messages and labels of the History and Network tabs.
	textNoGroups       = "the node has no port groups"
	textNoopVIFs       = "network interface noop ignores VIFs"
	textNothingMissing = "no port is missing"
	textNotInspected   = "Not compared with the inventory: "
	textPortsMatch     = "The ports match the inventory."
)
