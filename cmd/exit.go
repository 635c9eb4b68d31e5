package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
)

// usageError is a command line that cannot be understood.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...)}
}

// codeError carries an exit code for a failure that has been told already.
type codeError struct{ code int }

func (e *codeError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// report tells the error, if there is one that has not been told, and gives its code.
func (a *app) report(ctx context.Context, err error) int {
	var told *codeError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &told):
		return told.code
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || models.IsFault(err, models.FaultCanceled)):
		a.complain("interrupted")
		return exitFailed
	}
	a.complain("%v", err)
	code := exitCode(err)
	if code == exitConnect && a.guessed {
		_, _ = fmt.Fprint(a.stderr, a.looked)
	}
	if code == exitConnect && a.onTheWay(err) {
		a.complain("ironworks doctor tells which piece of the way to Ironic is out of place")
	}
	return code
}

// onTheWay says that an error is about Ironic or Keystone, and not about a BMC.
func (a *app) onTheWay(err error) bool {
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

func exitCode(err error) int {
	var usage *usageError
	var filter *models.FilterError
	var setting *models.SettingError
	var configFile *config.FileError
	var configSetting *config.SettingError
	var pick *config.PickError
	var refusal *models.Refusal
	var version *models.NeedsVersionError
	var fault *models.Fault
	var login *provision.BMCLoginError
	switch {
	case errors.As(err, &login) && login.Wrong == nil:
		return exitUsage
	case errors.As(err, &usage), errors.As(err, &filter), errors.As(err, &setting),
		errors.As(err, &configFile), errors.As(err, &configSetting), errors.As(err, &pick):
		return exitUsage
	case errors.As(err, &refusal), errors.As(err, &version), models.IsFault(err, models.FaultReadOnly):
		return exitRefused
	case errors.As(err, &fault) && fault.Kind.CannotConnect():
		return exitConnect
	}
	return exitFailed
}
