package config

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/printable"
	"ironworks/spell"
)

// FileError describes a problem at a position in a YAML file.
type FileError struct {
	File   string
	Line   int // from 1; 0 if the problem concerns the whole file
	Column int // from 1; 0 if unknown
	// Key is the dotted path of the key, for example contexts.rack7.url, or "" for syntax errors.
	Key     string
	Problem string
	// Hint suggests a remedy. It may be empty.
	Hint string
	// Err is the cause, for example an error from the file system, or nil.
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

// SettingError describes a missing setting, or an invalid value of a flag or a variable.
type SettingError struct {
	// Context and Source are the context's name and source. They are empty if the setting belongs to no context.
	Context string
	Source  string
	// Key is the name of the setting in the place where it is set, or should be set. Examples are auth_url,
	// auth.auth_url (in clouds.yaml), OS_AUTH_URL and --connect-timeout.
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

// PickError means that no context could be selected, either because the requested name is unknown, or because there
// are several contexts and no name was given.
type PickError struct {
	// Name is the requested name, which is unknown, or "" if no name was given.
	Name string
	// From is the place where the name was given, for example --context, IRONWORKS_CLOUD or /path/config.yaml:1.
	From string
	// Kind is "context" or "cloud", depending on what was requested.
	Kind string
	// Known lists the valid names, sorted.
	Known []string
	// Near is the valid name most similar to Name, or "" if none is similar.
	Near string
}

// Error returns a message with the requested name and the valid names.
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

// didYouMean returns a hint that suggests the known name nearest to word. It returns "" if [spell.Nearest] finds
// none.
func didYouMean(word string, known []string) string {
	if n := spell.Nearest(word, slices.Values(known)); n != "" {
		return fmt.Sprintf("did you mean %s?", n)
	}
	return ""
}
