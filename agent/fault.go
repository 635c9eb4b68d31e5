package agent

import (
	"errors"
	"fmt"

	"ironworks/models/hints"
)

// kind is an error class of the real agent, with the code and the message of its errors.
type kind struct {
	name    string
	code    int
	message string
}

var (
	commandExecution = kind{"CommandExecutionError", 500, "Command execution failed"}
	agentIsBusy      = kind{"AgentIsBusy", 409, "Agent is busy"}
	invalidCommand   = kind{"InvalidCommandError", 400, "Invalid command"}
	invalidParams    = kind{"InvalidCommandParamsError", 400, "Invalid command parameters"}
	objectNotFound   = kind{"RequestedObjectNotFoundError", 404, "Not found"}
	methodNotFound   = kind{"HardwareManagerMethodNotFound", 500, "No HardwareManager found to handle method"}
	versionMismatch  = kind{"VersionMismatch", 409, "Hardware managers version mismatch, reload agent with correct version"}
	deploymentError  = kind{"DeploymentError", 500, "Deploy step failed"}
	cleaningError    = kind{"CleaningError", 500, "Clean step failed"}
	servicingError   = kind{"ServicingError", 500, "Service step failed"}
	deviceNotFound   = kind{"DeviceNotFound", 404, "Error finding the disk or partition device to deploy the image onto"}
	imageDownload    = kind{"ImageDownloadError", 500, "Error downloading image"}
	imageFatal       = kind{"ImageDownloadFatalError", 500, "Error downloading image"}
	imageNoSpace     = kind{"ImageDownloadOutofSpaceError", 500, "Error downloading image"}
	imageTooSlow     = kind{"ImageDownloadTimeoutError", 408, "Image download timeout"}
	imageChecksum    = kind{"ImageChecksumError", 500, "Error verifying image checksum"}
	invalidImage     = kind{"InvalidImage", 500, "The provided image is not valid for use"}
	eraseError       = kind{"BlockDeviceEraseError", 500, "Error erasing block device"}
	raidError        = kind{"SoftwareRAIDError", 500, "Software RAID caused unknown error"}
	imageWriteError  = kind{"ImageWriteError", 500, "Error writing image to device"}
	restError        = kind{"RESTError", 500, "An error occurred"}
	protectedDevice  = kind{"ProtectedDeviceError", 500, "Protected device located, cleaning aborted."}
)

type fault struct {
	Type             kind
	Message, Details string
}

func newFault(k kind, format string, args ...any) *fault {
	return &fault{Type: k, Message: k.message, Details: fmt.Sprintf(format, args...)}
}

func (f *fault) Error() string { return f.Message + ": " + f.Details }

// ErrChecksum is returned by a reader at the end of a complete image that does not have the expected checksum.
var ErrChecksum = errors.New("wrong checksum")

// Is makes errors of kind imageChecksum match [ErrChecksum].
func (f *fault) Is(target error) bool { return target == ErrChecksum && f.Type == imageChecksum }

// exception is a Python exception that the real agent does not handle.
type exception = hints.Error

func raise(class, format string, args ...any) *exception {
	return &exception{Class: class, Text: fmt.Sprintf(format, args...)}
}
