package db

import "fmt"

// Fault is a refusal as Ironic gives it: with a status and a sentence.
type Fault struct {
	// Status is the HTTP status of the answer, 409 for a node that is locked.
	Status int
	// Text is the faultstring, word for word as the real one says it.
	Text string
	// Kind is the name of Ironic's exception: NodeLocked.
	Kind string
}

// Error is the text.
func (f *Fault) Error() string { return f.Text }

// Faultf makes a fault.
func Faultf(status int, kind, format string, args ...any) *Fault {
	return &Fault{Status: status, Kind: kind, Text: fmt.Sprintf(format, args...)}
}
