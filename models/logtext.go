package models

import "strings"

// String is the line as it is copied, saved and printed: when, whose, who wrote it, what.
// The level is told where it is a warning or worse.
func (l *LogLine) String() string {
	var b strings.Builder
	b.Grow(64 + len(l.Text))
	at := l.Time
	if at.IsZero() {
		at = l.Received
	}
	if !at.IsZero() {
		b.WriteString(at.UTC().Format("2006-01-02T15:04:05.000Z "))
	}
	b.WriteString(Printable(l.Node.Label()))
	b.WriteByte(' ')
	if l.Level <= LogWarning {
		b.WriteString(strings.ToUpper(l.Level.String()) + " ")
	}
	if l.Unit != "" {
		b.WriteString(l.Unit + ": ")
	}
	b.WriteString(l.Text)
	return b.String()
}
