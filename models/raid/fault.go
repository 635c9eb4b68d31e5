package raid

import "fmt"

// Class is the name of an Ironic error's Python class.
type Class string

// The classes of the errors that Ironic raises for RAID configurations.
const (
	InvalidParameterValue Class = "InvalidParameterValue"
	RedfishError          Class = "RedfishError"
	// Ironic does not handle errors of the following classes. They make the step fail, and their text becomes the
	// reason.
	KeyError       Class = "KeyError"
	ValueError     Class = "ValueError"
	AttributeError Class = "AttributeError"
)

// Error is an error that Ironic would report.
type Error struct {
	Class Class
	// Reason is the text without the prefix that the class adds.
	Reason string
}

// Error returns the text that Ironic stores in last_error.
func (e *Error) Error() string {
	if e.Class == RedfishError {
		return "Redfish exception occurred. Error: " + e.Reason
	}
	return e.Reason
}

func redfishError(format string, args ...any) *Error {
	return &Error{Class: RedfishError, Reason: fmt.Sprintf(format, args...)}
}
