package watch

// Messages and help texts that this package shows to the user. Labels, column headers, key hints and other short
// texts are defined where they are used.
const (
	textNoContext   = "No context is open; {connect} shows why."
	textNoOperation = "no operations since the console opened"
	textEmpty       = "No running operations. Tasks started from this console appear here; " +
		"to watch other nodes, mark them in the fleet and press {watch}."
)
