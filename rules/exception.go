package rules

import (
	"fmt"
)

// Exception is an exception in Python or Ironic that ends an inspection.
type Exception struct {
	Class, Text string
	// About means that Text describes the problem but is not the text that Ironic would use.
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

// isIronic reports whether the exception belongs to one of Ironic's own classes. The engine reports such exceptions
// unchanged.
func (e *Exception) isIronic() bool {
	switch e.Class {
	case classInspection, classExecution, classAction, classCondition, classPort, classIronic:
		return true
	}
	return false
}

// actionFailed returns a RuleActionExecutionFailure, which is an exception of Ironic.
func actionFailed(format string, args ...any) *Exception {
	return raise(classAction, "Inspection rule action execution failed. Reason: "+format, args...)
}

// classUnclear marks a result that cannot be predicted, because Ironic's API does not show the necessary data or
// because the result depends on Python's internals.
const classUnclear = "unclear"

func unclear(format string, args ...any) *Exception { return raise(classUnclear, format, args...) }

// Unclear reports whether the result of the rule cannot be predicted.
func (e *Exception) Unclear() bool { return e.Class == classUnclear }
