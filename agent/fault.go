package agent

import (
	"errors"
	"fmt"

	"ironworks/models/hints"
)

// kind is the name of an error class of the real agent.
type kind string

const (
	commandExecution kind = "CommandExecutionError"
	agentIsBusy      kind = "AgentIsBusy"
	invalidCommand   kind = "InvalidCommandError"
	invalidParams    kind = "InvalidCommandParamsError"
	objectNotFound   kind = "RequestedObjectNotFoundError"
	methodNotFound   kind = "HardwareManagerMethodNotFound"
	versionMismatch  kind = "VersionMismatch"
	deploymentError  kind = "DeploymentError"
	cleaningError    kind = "CleaningError"
	servicingError   kind = "ServicingError"
	deviceNotFound   kind = "DeviceNotFound"
	imageDownload    kind = "ImageDownloadError"
	imageFatal       kind = "ImageDownloadFatalError"
	imageNoSpace     kind = "ImageDownloadOutofSpaceError"
	imageTooSlow     kind = "ImageDownloadTimeoutError"
	imageChecksum    kind = "ImageChecksumError"
	invalidImage     kind = "InvalidImage"
	eraseError       kind = "BlockDeviceEraseError"
	raidError        kind = "SoftwareRAIDError"
	imageWriteError  kind = "ImageWriteError"
	restError        kind = "RESTError"
	protectedDevice  kind = "ProtectedDeviceError"
)

// class maps each kind to the code and the message of its errors.
var class = map[kind]struct {
	code    int
	message string
}{
	commandExecution: {500, "Command execution failed"},
	agentIsBusy:      {409, "Agent is busy"},
	invalidCommand:   {400, "Invalid command"},
	invalidParams:    {400, "Invalid command parameters"},
	objectNotFound:   {404, "Not found"},
	methodNotFound:   {500, "No HardwareManager found to handle method"},
	versionMismatch:  {409, "Hardware managers version mismatch, reload agent with correct version"},
	deploymentError:  {500, "Deploy step failed"},
	cleaningError:    {500, "Clean step failed"},
	servicingError:   {500, "Service step failed"},
	deviceNotFound:   {404, "Error finding the disk or partition device to deploy the image onto"},
	imageDownload:    {500, "Error downloading image"},
	imageFatal:       {500, "Error downloading image"},
	imageNoSpace:     {500, "Error downloading image"},
	imageTooSlow:     {408, "Image download timeout"},
	imageChecksum:    {500, "Error verifying image checksum"},
	invalidImage:     {500, "The provided image is not valid for use"},
	eraseError:       {500, "Error erasing block device"},
	raidError:        {500, "Software RAID caused unknown error"},
	imageWriteError:  {500, "Error writing image to device"},
	restError:        {500, "An error occurred"},
	protectedDevice:  {500, "Protected device located, cleaning aborted."},
}

// fault is an error that the agent reports to the conductor.
type fault struct {
	Type    kind   `json:"type"`
	Code    int    `json:"code"`
	Message string `json:"message"`
	Details string `json:"details"`
}

func newFault(k kind, format string, args ...any) *fault {
	c := class[k]
	return &fault{Type: k, Code: c.code, Message: c.message, Details: fmt.Sprintf(format, args...)}
}

func (f *fault) Error() string { return f.Message + ": " + f.Details }

// ErrChecksum is the error that a reader returns at the end of an image that was received completely but does not
// have the expected checksum.
var ErrChecksum = errors.New("wrong checksum")

// Is makes errors of kind imageChecksum match [ErrChecksum].
func (f *fault) Is(target error) bool { return target == ErrChecksum && f.Type == imageChecksum }

// exception is a Python exception that the real agent does not handle.
type exception = hints.Error

func raise(class, format string, args ...any) *exception {
	return &exception{Class: class, Text: fmt.Sprintf(format, args...)}
}
