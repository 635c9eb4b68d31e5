package watch

// The messages and labels that this package shows to the user. Column headers and key hints are defined where they
// are used.
const (
	textNoContext   = "No context is open; {connect} shows why."
	textNoOperation = "no operations since the console opened"
	textEmpty       = "No running operations. Tasks started from this console appear here; "
	textEmptyRest   = "to watch other nodes, mark them in the fleet and press {watch}."
)
