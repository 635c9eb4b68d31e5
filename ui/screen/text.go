package screen

// The texts of this package that a person reads; column headers and key hints stay with their tables.
const (
	textReadOnlyMode    = "read-only mode; {read-only} turns it off"
	textOthersLook      = "%s is looking at %s"
	textOthersAct       = "%s acts on %s: %s, task %d"
	textReadOnlyContext = "context %s is configured read-only; --read-only=false overrides it"
)
