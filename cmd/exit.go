package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ironworks/agentlog"
	"ironworks/config"
	"ironworks/models"
	"ironworks/provision"
)

// The exit codes; scripts rely on them.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitRefused = 3
	exitConnect = 4
	// exitTerminated is the status after SIGTERM, as shells report it: 128 + 15.
	exitTerminated = 143
)

// usageError is an invalid command line; its exit code is 2.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...)}
}

// codeError carries the exit code of a failure that was printed already.
type codeError struct{ code int }

func (e *codeError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// report prints an error, unless it was printed already, and returns its exit code.
func (a *app) report(ctx context.Context, err error) int {
	var coded *codeError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &coded):
		return coded.code
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || models.IsFault(err, models.FaultCanceled)):
		a.printMessage("interrupted")
		return exitFailed
	}
	a.printMessage("%v", err)
	code := exitCode(err)
	if code == exitConnect && a.guessed {
		a.printErr("%s", a.searched)
	}
	if code == exitConnect && a.fromContext(err) {
		a.printMessage("run ironworks doctor to check the connection step by step")
	}
	return code
}

// fromContext reports whether an error came from Ironic or Keystone, and not from a BMC.
func (a *app) fromContext(err error) bool {
	var fault *models.Fault
	if a.client == nil || !errors.As(err, &fault) {
		return false
	}
	for _, server := range []string{a.client.Endpoint(), a.keystone} {
		if server != "" && strings.HasPrefix(fault.URL, server) {
			return true
		}
	}
	return false
}

// is reports whether an error is or wraps an error of type E.
func is[E error](err error) bool {
	_, found := errors.AsType[E](err)
	return found
}

func exitCode(err error) int {
	login, asked := errors.AsType[*provision.BMCCredentialsError](err)
	fault, faulty := errors.AsType[*models.Fault](err)
	switch {
	case is[*agentlog.ShellError](err):
		return exitSSH
	case asked && login.Rejection == nil, is[*usageError](err), is[*models.FilterError](err), is[*models.SettingError](err),
		is[*config.FileError](err), is[*config.SettingError](err), is[*config.PickError](err):
		return exitUsage
	case is[*models.Refusal](err), is[*codeRefusal](err), is[*models.NeedsVersionError](err), models.IsFault(err, models.FaultReadOnly):
		return exitRefused
	case faulty && fault.Kind.CannotConnect():
		return exitConnect
	}
	return exitFailed
}

// exitSSH is the exit code if the machine has sent no exit status. It is the same as that of ssh.
const exitSSH = 255

// refusef prints why a change was refused. It returns an error with exit code 3.
func (a *app) refusef(format string, args ...any) error {
	a.printMessage(format, args...)
	return &codeError{code: exitRefused}
}
