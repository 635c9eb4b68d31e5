package connect

// Messages and help texts that this package shows to the user. Labels, column headers, key hints and other short
// texts are defined where they are used.
const (
	textAnswered        = "Answered %s (API %s, %s)."
	textConnected       = "Connected. Last response %s."
	textAsking          = "Connecting for %s: no response yet."
	textNoIronic1       = " No Ironic is configured: this is the default address. Start with --url http://HOST:6385,"
	textNoIronic2       = " or add a context to a configuration file. Searched:"
	textReadOnly        = "read-only mode: changes are refused"
	textClockSkew       = "server clock is %s %s this machine's; ages use the server clock"
	textMissingFields   = "fields that this Ironic does not return: "
	textNoContexts      = "No contexts. Pass --url http://HOST:6385, or add contexts to the configuration file; "
	textNoContextsPaths = " config paths shows its location."
	textCannotProbe     = "connection tests are not available here"
	textNoContextKnown  = "no contexts"
	textUnusable        = "unusable: "
	textAlreadyHere     = "current context; {refresh} refreshes"
	textMoreLines       = "… and %d more lines: enlarge the window, or copy"
)
