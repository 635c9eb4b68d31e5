package overlay

// The texts of this package that a person reads; column headers and key hints stay with their tables.
const (
	textBackToTop      = "↑ back to the top"
	textReadFirst      = "Read first: keys work in a moment."
	textNo             = " cancel"
	textWrongInput     = "No match. "
	textNarrow         = "to filter"
	textChecked        = "%d of %d nodes checked"
	textNothingSentYet = "Nothing is sent yet; esc cancels."
)
