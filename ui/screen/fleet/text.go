package fleet

// Texts that are used more than once, or are too long for the lines that use them.
const (
	textMoreStates    = "+%d more"
	textMarksRestored = "%s restored; {clear-marks} clears them"
	textGroupTitle    = "Group by"
)
