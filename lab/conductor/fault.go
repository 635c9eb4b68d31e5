package conductor

import (
	"errors"
	"net/http"
	"slices"

	"ironworks/lab/conductor/redfish"
	"ironworks/lab/db"
	"ironworks/models/raid"
)

// Kinds of faults, named after Ironic's exceptions, that the conductor handles specially.
const (
	kindInvalidParameter  = "InvalidParameterValue"
	kindMissingParameter  = "MissingParameterValue"
	kindUnsupported       = "UnsupportedDriverExtension"
	kindAgentConnection   = "AgentConnectionFailed"
	kindAgentInProgress   = "AgentInProgress"
	kindAgentAPI          = "AgentAPIError"
	kindInvalidState      = "InvalidState"
	kindLocked            = "NodeLocked"
	kindNoWorker          = "NoFreeConductorWorker"
	kindDeployFailure     = "InstanceDeployFailure"
	kindRescueFailure     = "InstanceRescueFailure"
	kindInspectionFailure = "HardwareInspectionFailure"
	kindRedfish           = "RedfishError"
	kindRedfishConnection = "RedfishConnectionError"
	kindAllocation        = "AllocationFailed"
)

func invalid(format string, args ...any) *db.Fault {
	return db.Faultf(http.StatusBadRequest, kindInvalidParameter, format, args...)
}

func missing(format string, args ...any) *db.Fault {
	return db.Faultf(http.StatusBadRequest, kindMissingParameter, format, args...)
}

func conflict(kind, format string, args ...any) *db.Fault {
	return db.Faultf(http.StatusConflict, kind, format, args...)
}

// failure returns an Ironic exception with the status 500, which is the default.
func failure(kind, format string, args ...any) *db.Fault {
	return db.Faultf(http.StatusInternalServerError, kind, format, args...)
}

// redfishFault returns Ironic's RedfishError exception with the given message.
func redfishFault(format string, args ...any) *db.Fault {
	return failure(kindRedfish, "Redfish exception occurred. Error: "+format, args...)
}

func unsupported(driver, extension string) *db.Fault {
	return db.Faultf(http.StatusBadRequest, kindUnsupported, "Driver %s does not support %s (disabled or not implemented).", driver, extension)
}

func invalidRequest(action, node, state string) *db.Fault {
	return db.Faultf(http.StatusBadRequest, "InvalidStateRequested",
		"The requested action \"%s\" can not be performed on node \"%s\" while it is in state \"%s\".", action, node, state)
}

func inMaintenance(op, node string) *db.Fault {
	return db.Faultf(http.StatusBadRequest, "NodeInMaintenance", "The %s operation can't be performed on node %s because it's in maintenance mode.", op, node)
}

func protected(node string) *db.Fault {
	return db.Faultf(http.StatusForbidden, "NodeProtected", "Node %s is protected and cannot be undeployed, rebuilt or deleted", node)
}

func powerFailure(state string) *db.Fault {
	return conflict("PowerStateFailure", "Failed to set node power state to %s.", state)
}

func noWorker() *db.Fault {
	return db.Faultf(http.StatusServiceUnavailable, kindNoWorker, "Requested action cannot be performed due to lack of free conductor workers.")
}

// isKind reports whether err is a fault of one of the given kinds.
func isKind(err error, kinds ...string) bool {
	f, ok := errors.AsType[*db.Fault](err)
	return ok && slices.Contains(kinds, f.Kind)
}

// isInvalid reports whether err is InvalidParameterValue or an exception derived from it.
func isInvalid(err error) bool {
	return isKind(err, kindInvalidParameter, kindMissingParameter, "InterfaceNotFoundInEntrypoint", "IncompatibleInterface", "NoValidDefaultForInterface", "InvalidImageRef")
}

// isIronic reports whether err is one of Ironic's own exceptions. Ironic often reports others with another message.
func isIronic(err error) bool {
	_, ok := errors.AsType[*db.Fault](err)
	return ok
}

// className returns the name of the Python class that corresponds to err.
func className(err error) string {
	if f, ok := errors.AsType[*db.Fault](err); ok {
		return f.Kind
	}
	if r, ok := errors.AsType[*raid.Error](err); ok {
		return string(r.Class)
	}
	if s := redfish.AsError(err); s != nil {
		return s.Class
	}
	return "Exception"
}

// messageOf returns the message that clients see: that of the wrapped exception of Ironic or sushy, if any.
func messageOf(err error) string {
	if f, ok := errors.AsType[*db.Fault](err); ok {
		return f.Text
	}
	if s := redfish.AsError(err); s != nil {
		return s.Text
	}
	return err.Error()
}
