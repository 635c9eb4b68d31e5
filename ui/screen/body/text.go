package body

// The texts of this package that a person reads; column headers and key hints stay with their tables.
const (
	textAsking = "loading…"
)
