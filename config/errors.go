package config

import (
	"fmt"
	"strings"

	"ironworks/printable"
)

// FileError is one problem at one place of a YAML file, ours or OpenStack's.
type FileError struct {
	File   string
	Line   int // from 1; 0 when the problem is the file itself
	Column int // from 1; 0 when only the line is known
	// Key is the dotted path, such as contexts.rack7.url; empty for syntax errors.
	Key     string
	Problem string
	// Hint is the remedy; may be empty.
	Hint string
	// Err is the cause, such as that of a file that cannot be read; may be nil.
	Err error
}

// Error reads "file:line:column: key: problem (hint)".
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

// Unwrap gives the cause.
func (e *FileError) Unwrap() error { return e.Err }

// SettingError is a setting that is missing, or a bad value that did not come from a
// file but from a flag or a variable.
type SettingError struct {
	// Context and Source are the context's; empty when the setting is bad in itself.
	Context string
	Source  string
	// Key is the setting's name where the user would write it: auth_url,
	// auth.auth_url (clouds.yaml), OS_AUTH_URL, --timeout.
	Key     string
	Problem string
	Hint    string
	Err     error
}

// Error reads `context "name" (source): key: problem (hint)`.
func (e *SettingError) Error() string {
	var b strings.Builder
	if e.Context != "" {
		fmt.Fprintf(&b, "context %q (%s)", printable.Line(e.Context), printable.Line(e.Source))
	}
	writeProblem(&b, e.Key, e.Problem, e.Hint)
	return b.String()
}

// Unwrap gives the cause.
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

// PickError says that no context could be selected: an unknown name, or several
// contexts and none named.
type PickError struct {
	// Name is the name that is not known; empty when none was named.
	Name string
	// From is where the name was given: --context, IRONWORKS_CLOUD, /path/config.yaml:1.
	From string
	// Kind is "context" or "cloud".
	Kind string
	// Known are the names to choose from, sorted.
	Known []string
	// Near is the known name that was probably meant; may be empty.
	Near string
}

// Error names what was asked for and what there is.
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
