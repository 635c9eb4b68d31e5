package screen

// The messages and labels that this package shows to the user, except key hints.
const (
	textReadOnlyMode    = "read-only mode; {read-only} turns it off"
	textOthersLook      = "%s is looking at %s"
	textOthersAct       = "%s is acting on %s: %s, task %d"
	textReadOnlyContext = "context %s is configured read-only; --read-only=false overrides it"
)
