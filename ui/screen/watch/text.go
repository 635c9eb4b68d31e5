package watch

// The texts of this package that a person reads; column headers and key hints stay with their tables.
const (
	textNoContext   = "No context is open; {connect} shows why."
	textNoOperation = "no operations since the console opened"
	textEmpty       = "No running operations. Tasks started from this console appear here; "
	textEmptyRest   = "to watch other nodes, mark them in the fleet and press {watch}."
)
