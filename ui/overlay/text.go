package overlay

// The messages that this package shows to the operator. Column headers and key hints are defined next to their
// tables.
const (
	textBackToTop      = "↑ back to the top"
	textReadFirst      = "Read first: keys work in a moment."
	textNo             = " cancel"
	textWrongInput     = "No match. "
	textNarrow         = "to filter"
	textChecked        = "%d of %d nodes checked"
	textNothingSentYet = "Nothing has been sent yet; esc cancels."
)
