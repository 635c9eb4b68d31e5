package body

// The messages and labels that this package shows to the user. Column headers and key hints are defined where they
// are used.
const (
	textAsking = "loading…"
)
