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

// RamdiskField identifies an input of a ramdisk, so that a form can show an error there and a command name its flag.
type RamdiskField string

// These are the possible fields. FieldOutput means that Ignition rejects the generated configuration.
const (
	FieldProfile     RamdiskField = "profile"
	FieldIronicURL   RamdiskField = "ironic url"
	FieldTLS         RamdiskField = "tls"
	FieldCA          RamdiskField = "ca"
	FieldAgent       RamdiskField = "agent"
	FieldAgentURL    RamdiskField = "agent url"
	FieldAgentBinary RamdiskField = "agent binary"
	FieldAgentEmbed  RamdiskField = "agent embed"
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
	FieldExtra       RamdiskField = "extra ignition"
	FieldOutput      RamdiskField = "output"
)

// InputError reports an invalid input.
type InputError struct {
	Field RamdiskField
	// Value is the input, or "". If it may contain a secret, it is masked.
	Value string
	// Why is the rest of a sentence after the field and the value. Hint suggests a fix. Both may be empty.
	Why, Hint string
	// ScreenHint replaces Hint in the console. It is set if Hint suggests a command.
	ScreenHint string
	// Cause is the error that caused this one, or nil.
	Cause error
}

// Error returns the message with Hint. It is safe to show, because secrets are masked.
func (e *InputError) Error() string { return e.sentence(e.Hint) }

// OnScreen returns the same message as Error, but with ScreenHint if it is set.
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

func (e *InputError) Unwrap() error { return e.Cause }

func quoteValue(value string) string {
	const most = 80
	value = printable.Line(value)
	if utf8.RuneCountInString(value) > most {
		value = string([]rune(value)[:most]) + "…"
	}
	return `"` + value + `"`
}

// InputErrors returns all input errors that err wraps, in the order in which they were joined.
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

type inputs struct {
	problems []error
	notes    []RamdiskNote
}

func (in *inputs) refuse(field RamdiskField, value, hint, why string, args ...any) {
	in.problems = append(in.problems, &InputError{Field: field, Value: value, Why: fmt.Sprintf(why, args...), Hint: hint})
}

func (in *inputs) refuseCause(field RamdiskField, value string, cause error, hint, why string) {
	in.problems = append(in.problems, &InputError{Field: field, Value: value, Why: why, Hint: hint, Cause: cause})
}

func (in *inputs) note(field RamdiskField, text string, args ...any) {
	in.notes = append(in.notes, RamdiskNote{Field: field, Text: printable.Line(fmt.Sprintf(text, args...))})
}

func (in *inputs) err() error { return errors.Join(in.problems...) }

// maskedURL returns text with the user and password of a URL masked. Of a valid URL with a user, only the scheme, the
// mask and the host remain. In other text, everything before the last @ may be a password and is masked.
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
