package drivers

// Messages and help texts that this package shows to the user. Labels, column headers, key hints and other short
// texts are defined where they are used.
const (
	textNoContext         = "   No context is open; {connect} shows why."
	textAliveCount        = "  %d of %d conductors alive"
	textNoConductor       = "  no conductors"
	textLoadingConductors = "Loading conductors…"
	textNoConductors      = "No conductors: Ironic accepts requests, but no operation can run until a conductor starts."
	textNoHeartbeat       = "Ironic reports every conductor as dead. With SQLite it stores no heartbeats, so its conductor may still work."
	textLoadingTypes      = "Loading hardware types…"
	textNoTypes           = "No live conductor enables a hardware type: no node can be managed."
	textNoInterfaces      = "   Ironic does not report its interfaces."
	textNoDetails         = "no further details"
)
