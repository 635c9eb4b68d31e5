package agentlog

import (
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/explain"
)

// Masked is a text without its secrets: of an error, or whatever else goes where the log
// goes.
func Masked(text string) string {
	var m masker
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = m.line(lines[i])
	}
	return strings.Join(lines, "\n")
}

// MaskedWork is a piece of work whose reasons are masked.
func MaskedWork(w *models.Work) models.Work {
	masked := *w
	masked.Reason = Masked(w.Reason)
	if w.Evidence != nil {
		kept := *w.Evidence
		kept.LastError = Masked(kept.LastError)
		masked.Evidence = &kept
	}
	return masked
}

// Harmless makes a line safe that was read from a file and may be anything: its secrets
// are masked, what a terminal would obey is taken out, and what is known of it is found
// anew.
func Harmless(l models.LogLine) models.LogLine {
	var m masker
	text := withoutColours(short(l.Text, maxRaw))
	l.Text = short(models.Printable(short(m.line(text), maxText)), maxText)
	l.Unit = short(models.Printable(l.Unit), maxUnit)
	l.Node.Name = models.Printable(l.Node.Name)
	l.Boot, l.Cursor = short(models.Printable(l.Boot), maxUnit), short(models.Printable(l.Cursor), 4*maxUnit)
	if l.Source != models.LogServe && !slices.Contains(models.LogSources(), l.Source) {
		l.Source = models.LogArchive
	}
	l.Level = min(max(l.Level, models.LogCritical), models.LogDebug)
	l.Known = string(explain.FindRamdiskError(l.Text))
	if p := l.Progress; p != nil && (p.Percent < 0 || p.Percent > 100 || p.Done < 0 || p.Total < 0) {
		l.Progress = nil
	}
	return l
}
