package watch

// The texts of this package that are shown to the operator, except column headers and key hints, which are defined
// beside their tables.
const (
	textNoContext   = "No context is open; {connect} shows why."
	textNoOperation = "no operations since the console opened"
	textEmpty       = "No running operations. Tasks started from this console appear here; "
	textEmptyRest   = "to watch other nodes, mark them in the fleet and press {watch}."
)
