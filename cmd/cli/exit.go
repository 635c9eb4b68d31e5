package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ironworks/agentlog"
	"ironworks/config"
	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/provision"
)

// Exit codes. Scripts rely on them.
const (
	ExitOK      = 0
	ExitFailed  = 1
	ExitUsage   = 2
	ExitRefused = 3
	ExitConnect = 4
	// ExitTerminated is the exit code after SIGTERM, which shells report as 128 + 15.
	ExitTerminated = 143
)

// UsageError reports an invalid command line. Its exit code is 2.
type UsageError struct{ err error }

func (e *UsageError) Error() string { return e.err.Error() }
func (e *UsageError) Unwrap() error { return e.err }

// Usagef returns a UsageError with a formatted message.
func Usagef(format string, args ...any) error {
	return &UsageError{err: fmt.Errorf(format, args...)}
}

// CodeError carries the exit code of a failure that was printed already.
type CodeError struct{ Code int }

func (e *CodeError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// Report prints an error, unless it was printed already, and returns its exit code.
func (a *App) Report(ctx context.Context, err error) int {
	coded, printed := errors.AsType[*CodeError](err)
	switch {
	case err == nil:
		return ExitOK
	case printed:
		return coded.Code
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || models.IsFault(err, models.FaultCanceled)):
		a.PrintMessage("interrupted")
		return ExitFailed
	}
	a.PrintMessage("%v", err)
	code := ExitCode(err)
	if code == ExitConnect && a.guessed {
		a.PrintErr("%s", a.searched)
	}
	if code == ExitConnect && a.fromContext(err) {
		a.PrintMessage("run ironworks doctor to check the connection step by step")
	}
	return code
}

// fromContext reports whether an error came from Ironic or Keystone, and not from a BMC.
func (a *App) fromContext(err error) bool {
	fault, is := errors.AsType[*models.Fault](err)
	if a.client == nil || !is {
		return false
	}
	return slices.ContainsFunc([]string{a.client.Endpoint(), a.keystone}, func(server string) bool {
		return server != "" && strings.HasPrefix(fault.URL, server)
	})
}

// Is reports whether an error is or wraps an error of type E.
func Is[E error](err error) bool {
	_, found := errors.AsType[E](err)
	return found
}

// ExitCode returns the exit code for an error, based on the type of the error. It returns ExitFailed for an error of
// any other type.
func ExitCode(err error) int {
	login, asked := errors.AsType[*provision.BMCCredentialsError](err)
	fault, faulty := errors.AsType[*models.Fault](err)
	switch {
	case Is[*agentlog.ShellError](err):
		return ExitSSH
	case asked && login.Rejection == nil, Is[*UsageError](err), Is[*filter.Error](err), Is[*models.SettingError](err),
		Is[*config.FileError](err), Is[*config.SettingError](err), Is[*config.PickError](err):
		return ExitUsage
	case Is[*models.Refusal](err), Is[*models.NeedsVersionError](err), models.IsFault(err, models.FaultReadOnly):
		return ExitRefused
	case faulty && fault.Kind.CannotConnect():
		return ExitConnect
	}
	return ExitFailed
}

// ExitSSH is the exit code if the machine sent no exit status. The ssh command uses the same code.
const ExitSSH = 255

// Refusef prints why a change was refused. It returns an error with exit code 3.
func (a *App) Refusef(format string, args ...any) error {
	a.PrintMessage(format, args...)
	return &CodeError{Code: ExitRefused}
}
