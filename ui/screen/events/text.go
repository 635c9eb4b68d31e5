package events

// The texts of this package that a person reads; column headers and key hints stay with their tables.
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
