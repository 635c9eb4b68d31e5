package config

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/printable"
	"ironworks/spell"
)

// FileError is a problem at a position of a YAML file.
type FileError struct {
	File   string
	Line   int // from 1; 0 for the whole file
	Column int // from 1; 0 if unknown
	// Key is the dotted path, for example contexts.rack7.url; "" for syntax errors.
	Key     string
	Problem string
	// Hint is the remedy, or "".
	Hint string
	// Err is the cause, for example an error of the file system, or nil.
	Err error
}

// Error returns "file:line:column: key: problem (hint)".
func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString(printable.Line(e.File))
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
		if e.Column > 0 {
			fmt.Fprintf(&b, ":%d", e.Column)
		}
	}
	writeProblem(&b, e.Key, e.Problem, e.Hint)
	return b.String()
}

func (e *FileError) Unwrap() error { return e.Err }

// SettingError is a missing setting, or a wrong value of a flag or a variable.
type SettingError struct {
	// Context and Source are the name and the source of the context. They are "" if the setting belongs to no context.
	Context string
	Source  string
	// Key is the setting's name at its origin: auth_url, auth.auth_url (clouds.yaml),
	// OS_AUTH_URL, --timeout.
	Key     string
	Problem string
	Hint    string
	Err     error
}

// Error returns `context "name" (source): key: problem (hint)`.
func (e *SettingError) Error() string {
	var b strings.Builder
	if e.Context != "" {
		fmt.Fprintf(&b, "context %q (%s)", printable.Line(e.Context), printable.Line(e.Source))
	}
	writeProblem(&b, e.Key, e.Problem, e.Hint)
	return b.String()
}

func (e *SettingError) Unwrap() error { return e.Err }

func writeProblem(b *strings.Builder, key, problem, hint string) {
	for _, part := range []string{key, problem} {
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(printable.Line(part))
	}
	if hint != "" {
		b.WriteString(" (")
		b.WriteString(printable.Line(hint))
		b.WriteString(")")
	}
}

// PickError means that no context could be selected: the name is unknown, or there are several
// contexts and no name.
type PickError struct {
	// Name is the name that is unknown, or "".
	Name string
	// From is the place that has the name: --context, IRONWORKS_CLOUD, /path/config.yaml:1.
	From string
	// Kind is "context" or "cloud".
	Kind string
	// Known are the valid names, sorted.
	Known []string
	// Near is the nearest valid name, or "".
	Near string
}

// Error returns the requested name and the valid ones.
func (e *PickError) Error() string {
	var b strings.Builder
	writeProblem(&b, e.From, e.problem(), e.hint())
	return b.String()
}

func (e *PickError) problem() string {
	if e.Name == "" {
		return fmt.Sprintf("%d contexts are configured and none is selected", len(e.Known))
	}
	return fmt.Sprintf("no %s %q", e.Kind, e.Name)
}

func (e *PickError) hint() string {
	known := "known: " + strings.Join(e.Known, ", ")
	switch {
	case len(e.Known) == 0:
		return "none is configured"
	case e.Name == "":
		return "select one with --context, IRONWORKS_CONTEXT or context: in the configuration file; " + known
	case e.Near != "":
		return fmt.Sprintf("did you mean %s? %s", e.Near, known)
	}
	return known
}

// didYouMean returns a hint with the result of [spell.Nearest], or "".
func didYouMean(word string, known []string) string {
	if n := spell.Nearest(word, slices.Values(known)); n != "" {
		return fmt.Sprintf("did you mean %s?", n)
	}
	return ""
}
