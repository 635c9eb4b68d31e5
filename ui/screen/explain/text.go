package explain

// Messages and help texts that this package shows to the user. Labels, column headers, key hints and other short
// texts are defined where they are used.
const (
	textCopies        = "  ({copy} copies)"
	textReplaying     = "the BMC is not queried during a replay"
	textNotConnected  = "not connected"
	textBMCAsking     = "querying (may take a minute)…"
	textBMCNone       = "no Redfish address: no BMC to query"
	textBMCWithheld   = "password withheld: the host is not in bmc.hosts; press {bmc-login} in the node's BMC tab to log in"
	textBMCNoPassword = "no password known; press {bmc-login} in the node's BMC tab to log in"
	textBMCFailed     = "query failed: "
	textBMCAsked      = "queried; the result is valid for 2 minutes"
	textBMCNotAsked   = "not queried; {explain-bmc} queries it and tests the ISO download from here"
	textNoExplanation = "no explanation yet"
	textNodeDeleted   = "the node was deleted"
	textCount         = " %d of %d explanations "
	textShowBest      = "· esc: best explanation "
	textNoContext     = "No context is open; {connect} shows why."
	textNotAvailable  = "Explanations are not available here."
	textDeletedNode   = " This node was deleted. The data is from before the deletion."
	textNoNode        = " Ironic has no node "
	textLoading       = "Loading the node, its history and the conductors…"
	textCertain       = "confirmed by evidence"
	textBestFit       = "best match"
)
