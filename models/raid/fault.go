package raid

import "fmt"

// Class is the Python class of an error of Ironic.
type Class string

// The classes of errors.
const (
	InvalidParameterValue Class = "InvalidParameterValue"
	RedfishError          Class = "RedfishError"
	// Ironic does not handle errors of the following classes: it fails the step with their text.
	KeyError       Class = "KeyError"
	ValueError     Class = "ValueError"
	AttributeError Class = "AttributeError"
)

// Error is an error of Ironic.
type Error struct {
	Class Class
	// Reason is the text without the prefix of the class.
	Reason string
}

// Error returns the text as Ironic stores it in last_error.
func (e *Error) Error() string {
	if e.Class == RedfishError {
		return "Redfish exception occurred. Error: " + e.Reason
	}
	return e.Reason
}

func redfishError(format string, args ...any) *Error {
	return &Error{Class: RedfishError, Reason: fmt.Sprintf(format, args...)}
}
