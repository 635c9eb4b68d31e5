package models

import (
	"errors"
	"slices"
	"strings"
)

// screenError is an error that describes a different remedy in the console than on the command line.
type screenError interface {
	error
	OnScreen() string
}

// OnScreen returns the message of err for the console. If err, or an error that it wraps, has a separate message for
// the console, OnScreen uses that message. The remedies in such a message name keys instead of commands.
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

// causes returns the errors that err wraps directly.
func causes(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // one level of the tree
		return slices.DeleteFunc(slices.Clone(joined.Unwrap()), func(e error) bool { return e == nil })
	}
	if cause := errors.Unwrap(err); cause != nil {
		return []error{cause}
	}
	return nil
}

// RemedyError adds a remedy to the text of an error.
type RemedyError struct {
	Err error
	// Hint describes the remedy as a command, and ScreenHint as a key to press in the console.
	Hint, ScreenHint string
}

// Error returns the error's text, with the remedy as a command.
func (e *RemedyError) Error() string { return e.Err.Error() + " (" + e.Hint + ")" }

// OnScreen returns the error's text, with the remedy as a key to press in the console.
func (e *RemedyError) OnScreen() string { return OnScreen(e.Err) + " (" + e.ScreenHint + ")" }

// Unwrap returns the original error, without the remedy.
func (e *RemedyError) Unwrap() error { return e.Err }

// RunKey returns a remedy for users of the console. It tells them to run the named action on the node from the
// command palette, and which arguments to enter in the action's form.
func RunKey(action string, arguments ...string) string {
	return strings.Join(append([]string{"run :" + action + " on the node"}, arguments...), ": ")
}
