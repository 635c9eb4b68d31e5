package events

// Messages and help texts that this package shows to the user. Labels, column headers, key hints and other short
// texts are defined where they are used.
const (
	textNoEvents     = "no events yet"
	textNotConnected = "not connected"
	textNodeGone     = "the node no longer exists"
	textNoFilter     = "no filter is set"
	textFixedOrder   = "events are always in order of arrival"
	textAllColumns   = "all columns are already shown"
	textPaused       = "  paused, %d new below"
	textForgotten    = " · %d older events dropped"
	textNoMatch      = "No events match the filter. {back} clears it."
	textEmpty        = "No events yet. Changes of nodes appear here."
)
