package body

// Messages and help texts that this package shows to the user. Labels, column headers, key hints and other short
// texts are defined where they are used.
const (
	textAsking = "loading…"
)
