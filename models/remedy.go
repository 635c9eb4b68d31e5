package models

import (
	"errors"
	"slices"
	"strings"
)

// screenError is an error with different remedies in the console and on the command line.
type screenError interface {
	error
	OnScreen() string
}

// OnScreen returns the text of an error for the console: remedies name keys instead of commands where an error of the
// tree has both.
func OnScreen(err error) string {
	if err == nil {
		return ""
	}
	if special, ok := err.(screenError); ok { //nolint:errorlint // the tree is walked here, for the texts around
		return special.OnScreen()
	}
	text := err.Error()
	for _, cause := range causes(err) {
		if plain := cause.Error(); plain != "" {
			text = strings.Replace(text, plain, OnScreen(cause), 1)
		}
	}
	return text
}

// causes returns the errors that an error wraps.
func causes(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // one level of the tree
		return slices.DeleteFunc(slices.Clone(joined.Unwrap()), func(e error) bool { return e == nil })
	}
	if cause := errors.Unwrap(err); cause != nil {
		return []error{cause}
	}
	return nil
}

// RemedyError adds a remedy to an error.
type RemedyError struct {
	Err error
	// Hint is the remedy as a command, ScreenHint as a key of the console.
	Hint, ScreenHint string
}

// Error returns the error with the remedy as a command.
func (e *RemedyError) Error() string { return e.Err.Error() + " (" + e.Hint + ")" }

// OnScreen returns the error with the remedy as a key.
func (e *RemedyError) OnScreen() string { return OnScreen(e.Err) + " (" + e.ScreenHint + ")" }

// Unwrap returns the error without the remedy.
func (e *RemedyError) Unwrap() error { return e.Err }

// RunKey returns a remedy in the console: the palette runs an action on the node by its name, with the arguments in its
// form.
func RunKey(action string, arguments ...string) string {
	return strings.Join(append([]string{"run :" + action + " on the node"}, arguments...), ": ")
}
