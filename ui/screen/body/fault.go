package body

import (
	"cmp"
	"errors"
	"strconv"
	"time"

	"ironworks/models"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// Fault returns lines of at most w cells that describe a failed request: what was attempted, why it failed, the
// remedy, and Ironic's request ID. It omits the parts that are unknown.
func Fault(err error, w int) []pane.Line {
	var f *models.Fault
	if !errors.As(err, &f) {
		return mark(Wrapped(theme.Bad, models.OnScreen(err), w-3))
	}
	text := f.Reason()
	if f.Op != "" {
		text = f.Op + ": " + text
	}
	lines := mark(Wrapped(theme.Bad, text, w-3))
	if hint := cmp.Or(f.ScreenHint, f.Hint); hint != "" {
		lines = append(lines, Indented(theme.Plain, hint, w, 3)...)
	}
	if f.RequestID != "" {
		lines = append(lines, Indented(theme.Muted, "request "+f.RequestID, w, 3)...)
	}
	return lines
}

// mark puts the failure glyph before the first line and indents the other lines.
func mark(lines []pane.Line) []pane.Line {
	return Prefixed(lines, S(theme.Bad, " "+theme.GlyphFailed+" "), S(theme.Bad, "   "))
}

// Short formats err for a single line of the screen. If err is or wraps a *[models.Fault], the text is only the
// fault's reason, without the operation that was attempted.
func Short(err error) string {
	var f *models.Fault
	if errors.As(err, &f) {
		return f.Reason()
	}
	return models.OnScreen(err)
}

// Read describes the age of data that was fetched at the given time, or returns "not loaded" if the time is zero. The
// age is rounded so that the description seldom changes.
func Read(now, at time.Time) string {
	switch d := now.Sub(at); {
	case at.IsZero():
		return "not loaded"
	case d < time.Minute:
		return "updated just now"
	case d < time.Hour:
		return "updated " + strconv.Itoa(int(d.Minutes())) + "m ago"
	default:
		return "updated " + models.Age(d.Truncate(time.Hour)) + " ago"
	}
}

// Freshness describes the age of fetched data or the state of the request: loading, not loaded, or refresh failed. It
// does not show the error itself; see [Fault].
func Freshness(now, asked time.Time, known, busy bool, err error) Span {
	switch {
	case busy && !known:
		return S(theme.Muted, "loading…")
	case err != nil && known:
		return S(theme.Warn, "refresh failed, "+Read(now, asked))
	case err != nil:
		return S(theme.Warn, "not loaded")
	}
	return S(theme.Muted, Read(now, asked))
}

// FreshnessOf is like [Freshness] for the data of a source.
func FreshnessOf(of fetch.Requests) Span {
	return Freshness(time.Now(), of.Asked(), of.Known(), of.Busy(), of.Err())
}

// FaultAbove returns the drawn lines that show err above a table, with a blank line, or nil if err is nil.
func FaultAbove(t *theme.Theme, err error, w int) []string {
	if err == nil {
		return nil
	}
	return append(Draw(t, Fault(err, w), w), "")
}

// EmptyText returns the text of a table without rows: loading before the first result, and none if there are no rows.
// If the first request has failed, it returns "", because the error is shown.
func EmptyText(of fetch.Requests, loading, none string) string {
	switch {
	case of.Known():
		return none
	case of.Err() != nil:
		return ""
	}
	return loading
}

// Ago formats the time from at to now, on the same clock, followed by "ago", or "never" if at is zero.
func Ago(now, at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return models.Age(now.Sub(at)) + " ago"
}
