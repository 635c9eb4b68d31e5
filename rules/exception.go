package rules

import (
	"fmt"
)

// Exception is an exception of Python or Ironic: it ends the inspection.
type Exception struct {
	Class, Text string
	// About says that Ironic's text differs: ours only says what is wrong.
	About bool
}

// Error returns the text.
func (e *Exception) Error() string { return e.Text }

func raise(class, format string, args ...any) *Exception {
	return &Exception{Class: class, Text: fmt.Sprintf(format, args...)}
}

// Classes of Ironic's exceptions.
const (
	classInspection = "HardwareInspectionFailure"
	classExecution  = "InspectionRuleExecutionFailure"
	classAction     = "RuleActionExecutionFailure"
	classCondition  = "RuleConditionCheckFailure"
	classPort       = "PortNotFound"
	classIronic     = "IronicException"
)

// isIronic says that Ironic raises the class itself: it is reported unchanged.
func (e *Exception) isIronic() bool {
	switch e.Class {
	case classInspection, classExecution, classAction, classCondition, classPort, classIronic:
		return true
	}
	return false
}

// actionFailed is Ironic's RuleActionExecutionFailure.
func actionFailed(format string, args ...any) *Exception {
	return raise(classAction, "Inspection rule action execution failed. Reason: "+format, args...)
}

// classUnclear marks what cannot be known here: Ironic's API does not show it, or it depends on Python's internals.
const classUnclear = "unclear"

func unclear(format string, args ...any) *Exception { return raise(classUnclear, format, args...) }

// Unclear says that the result cannot be known here.
func (e *Exception) Unclear() bool { return e.Class == classUnclear }
