package fleet

// Messages and help texts that this package shows to the user. Labels, column headers, key hints and other short
// texts are defined where they are used.
const (
	textNoNodes       = "no nodes shown"
	textNoMarks       = "no nodes marked"
	textNoPreview     = "needs a terminal of %d columns"
	textNoFilter      = "no filter is set"
	textSortedUp      = "current; select again to reverse"
	textSortedDown    = "current, descending"
	textSortTitle     = "Sort by"
	textNoContext     = "No context is open; {connect} shows why."
	textSeeConnection = " ({connect}: details)"
	textAsking        = "Loading nodes…"
	textEmpty         = "No nodes yet. {enroll} enrolls nodes from a file or from BMC addresses."
	textReading       = "Loading nodes…"
	textNoMatch       = "No nodes match the filter. {back} clears it."
	textMoreStates    = "+%d more"
	textNotRead       = "%s not read: %s "
	textLacking       = "not available: %s "
	textUnknown       = "%s still unknown "
	textMarksRestored = "%s restored; {clear-marks} clears them"
	textFilterLost    = "stored filter %q ignored: %w"
	textGroupTitle    = "Group by"
	textNoValue       = "no %s"
	textMarkedOf      = ", %d marked"
	textGroupAtCursor = "the cursor is on a group"
	textNoEvents      = " No events yet."
)
