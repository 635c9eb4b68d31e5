// Package phase shows the phases of an operation as bars and as text.
package phase

import (
	"fmt"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/ui/theme"
	"ironworks/ui/widget/timebar"
)

// LearnFrom is the number of past operations of each kind that estimates are based on.
const LearnFrom = 200

// Spans returns the phases of an operation as bars on an axis that starts with the operation. past may be nil. If the
// installer's log reports a pace, it takes precedence over past.
func Spans(w *models.Work, past *models.Experience, pace models.InstallPace, now time.Time) []timebar.Span {
	spans := make([]timebar.Span, len(w.Phases))
	for i := range w.Phases {
		p := &w.Phases[i]
		took := p.Took(now)
		from := p.Begin.Sub(w.Begin)
		s := timebar.Span{From: from, To: from + took, Name: TextAt(w, i, pace, now), Role: theme.Muted, Unseen: i == 0 && !w.Whole}
		switch p.Outcome {
		case models.OutcomeRunning:
			s.Kind, s.Role = timebar.Open, theme.Busy
			if p.Kind == models.PhaseHold {
				s.Role = theme.Hold
			}
			due := pace.Due(p, now)
			if due.IsZero() {
				due = past.Expected(w, p)
			}
			if !due.IsZero() {
				s.Due = due.Sub(w.Begin)
			}
		case models.OutcomeFailed:
			s.Kind, s.Role = timebar.Broken, theme.Bad
		case models.OutcomeDone:
		}
		spans[i] = s
	}
	return spans
}

// Text returns the name of phase i and its duration so far.
func Text(w *models.Work, i int, now time.Time) string {
	p := &w.Phases[i]
	more := ""
	if i == 0 && !w.Whole {
		more = "> "
	}
	return p.Name() + " " + more + models.Age(p.Took(now))
}

// TextAt is like Text, but adds the installer's progress if the installer's log reports it.
func TextAt(w *models.Work, i int, pace models.InstallPace, now time.Time) string {
	p := &w.Phases[i]
	percent, known := pace.Percent(p)
	if !known {
		return Text(w, i, now)
	}
	return fmt.Sprintf("%s %d%% %s", p.Name(), percent, models.Age(p.Took(now)))
}

// Boot describes the boot stage of the ramdisk. The text does not contain the words "the ramdisk". It is empty if the
// stage is unknown or the ramdisk has booted. If something blocks the boot, the role is theme.Warn.
func Boot(r *models.Row, w *models.Work, now time.Time) (text string, role theme.Role) {
	p := w.Current()
	if p == nil || p.Kind != models.PhaseBoot && p.Kind != models.PhaseInspect || r.Node.ProvisionState.Class() != models.ClassWait {
		return "", theme.Plain
	}
	boot := explain.BootOf(r)
	if text = boot.Text(now); text == "" || boot.Stage == models.RamdiskHeartbeat {
		return "", theme.Plain
	}
	if boot.Obstacle != nil {
		role = theme.Warn
	}
	return text, role
}

// Longest returns the length of the axis for an operation: its duration and, if known, the time left.
func Longest(w *models.Work, past *models.Experience, pace models.InstallPace, now time.Time) time.Duration {
	longest := w.Took(now)
	if e := past.Estimate(w, now).Pace(past, w, pace, now); e.Known {
		longest += e.Left
	}
	return longest
}

// Line returns all phases of an operation as one line of text.
func Line(w *models.Work, now time.Time) string {
	parts := make([]string, len(w.Phases))
	for i := range w.Phases {
		parts[i] = Text(w, i, now)
		if w.Phases[i].Outcome == models.OutcomeFailed {
			parts[i] += " " + theme.GlyphFailed
		}
	}
	return strings.Join(parts, " · ")
}

// Look returns the glyph, the word and the role for the outcome of an operation, which may be running.
func Look(w *models.Work, current bool) (glyph, word string, role theme.Role) {
	switch {
	case w.Outcome == models.OutcomeDone:
		return theme.GlyphDone, "done", theme.Good
	case w.Outcome == models.OutcomeFailed:
		return theme.GlyphFailed, "failed", theme.Bad
	case current && w.Current() != nil && w.Current().Kind == models.PhaseHold:
		return theme.GlyphHold, "held", theme.Hold
	case current:
		return theme.GlyphWorking, "now", theme.Busy
	}
	return theme.GlyphUnknown, "not seen", theme.Muted
}
