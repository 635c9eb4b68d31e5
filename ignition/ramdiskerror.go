package ignition

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"ironworks/models"
	"ironworks/printable"
)

// RamdiskField names an input of a ramdisk, so that a form can show what is
// wrong where it was written, and a command can name its option.
type RamdiskField string

// The fields. FieldOutput is none of them: what was made of the inputs is not
// accepted by Ignition.
const (
	FieldProfile     RamdiskField = "profile"
	FieldIronicURL   RamdiskField = "ironic url"
	FieldTLS         RamdiskField = "tls"
	FieldCA          RamdiskField = "ca"
	FieldImage       RamdiskField = "image"
	FieldRegistry    RamdiskField = "registry"
	FieldPullSecret  RamdiskField = "pull secret" //nolint:gosec // the name of a field
	FieldSSHKey      RamdiskField = "ssh key"
	FieldHostname    RamdiskField = "hostname"
	FieldKeyFile     RamdiskField = "keyfile"
	FieldIPOption    RamdiskField = "ip option"
	FieldCopyNetwork RamdiskField = "copy network"
	FieldProxy       RamdiskField = "proxy"
	FieldNTP         RamdiskField = "ntp server"
	FieldVLAN        RamdiskField = "vlan"
	FieldCollector   RamdiskField = "collector"
	FieldCallback    RamdiskField = "inspection callback"
	FieldOption      RamdiskField = "option"
	FieldJournalPush RamdiskField = "journal push"
	FieldSSHHostKey  RamdiskField = "ssh host key"
	FieldUnit        RamdiskField = "unit"
	FieldFile        RamdiskField = "file"
	FieldExtra       RamdiskField = "extra ignition"
	FieldOutput      RamdiskField = "output"
)

// InputError is an invalid input.
type InputError struct {
	Field RamdiskField
	// Value is what was given, masked where it is or may hold a secret; empty
	// if nothing was given.
	Value string
	// Why is a clause after the value, Hint the remedy; both may be empty.
	Why, Hint string
	// ScreenHint is the remedy in the console if Hint is a command.
	ScreenHint string
	// Cause is the error behind it, or nil.
	Cause error
}

// Error is safe to show: secrets are masked.
func (e *InputError) Error() string { return e.sentence(e.Hint) }

// OnScreen is Error with the remedy for the console.
func (e *InputError) OnScreen() string { return e.sentence(cmp.Or(e.ScreenHint, e.Hint)) }

func (e *InputError) sentence(hint string) string {
	var b strings.Builder
	b.WriteString(string(e.Field))
	if e.Value != "" {
		b.WriteString(" " + quoteValue(e.Value))
	}
	b.WriteString(" " + e.Why)
	if e.Cause != nil {
		b.WriteString(": " + printable.Line(e.Cause.Error()))
	}
	if hint != "" {
		b.WriteString("; " + hint)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *InputError) Unwrap() error { return e.Cause }

// quoteValue keeps a long value short.
func quoteValue(value string) string {
	const most = 80
	value = printable.Line(value)
	if utf8.RuneCountInString(value) > most {
		value = string([]rune(value)[:most]) + "…"
	}
	return `"` + value + `"`
}

// InputErrors are all inputs that an error of Build tells of, in the order of
// the fields. An error that tells of none gives none.
func InputErrors(err error) []*InputError {
	if err == nil {
		return nil
	}
	if e, ok := err.(*InputError); ok { //nolint:errorlint // the tree is walked here
		return []*InputError{e}
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // the tree is walked here
		var all []*InputError
		for _, each := range several.Unwrap() {
			all = append(all, InputErrors(each)...)
		}
		return all
	}
	return InputErrors(errors.Unwrap(err))
}

// inputs gathers what is wrong and what deserves a look.
type inputs struct {
	wrong []error
	notes []RamdiskNote
}

func (in *inputs) refuse(field RamdiskField, value, hint, why string, args ...any) {
	in.wrong = append(in.wrong, &InputError{Field: field, Value: value, Why: fmt.Sprintf(why, args...), Hint: hint})
}

func (in *inputs) refuseCause(field RamdiskField, value string, cause error, hint, why string) {
	in.wrong = append(in.wrong, &InputError{Field: field, Value: value, Why: why, Hint: hint, Cause: cause})
}

func (in *inputs) note(field RamdiskField, text string, args ...any) {
	in.notes = append(in.notes, RamdiskNote{Field: field, Text: printable.Line(fmt.Sprintf(text, args...))})
}

func (in *inputs) err() error { return errors.Join(in.wrong...) }

// maskedURL is a URL without its password; what is no URL is masked if it looks
// as if it had one.
func maskedURL(text string) string {
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return text
	}
	if u, err := url.Parse(text); err == nil && u.User != nil && u.Host != "" {
		user := models.Mask + "@"
		if u.Scheme != "" {
			return u.Scheme + "://" + user + u.Host
		}
		return user + u.Host
	}
	scheme := ""
	if before, _, ok := strings.Cut(text, "://"); ok && len(before) < at {
		scheme = before + "://"
	}
	return scheme + models.Mask + text[at:]
}
