package overlay

// The texts that this package shows to the operator, except for column headers and key hints, which are next to their
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
