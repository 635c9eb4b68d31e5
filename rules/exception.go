package rules

import (
	"fmt"
)

// Exception is an exception of Python or Ironic: it ends the inspection.
type Exception struct {
	Class, Text string
	// About means that Ironic's text differs, and that this text only describes the problem.
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

// isIronic means that Ironic raises the exception class itself, so the error is reported unchanged.
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

// classUnclear marks a result that cannot be predicted: Ironic's API does not show it, or it depends on Python's
// internals.
const classUnclear = "unclear"

func unclear(format string, args ...any) *Exception { return raise(classUnclear, format, args...) }

// Unclear means that the result cannot be predicted here.
func (e *Exception) Unclear() bool { return e.Class == classUnclear }
