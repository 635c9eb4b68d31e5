// Package phase is how screens show the phases of a piece of work: as bars, and in
// words.
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

// LearnFrom is of how many past pieces of each kind of work it is learnt how long they
// take.
const LearnFrom = 200

// Spans are the phases of a piece of work as bars, on an axis that begins with it; past
// may be nil. Where the installer's log tells how far it is, the bar does.
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

// Text is a phase with how long it lasted, or lasts already.
func Text(w *models.Work, i int, now time.Time) string {
	p := &w.Phases[i]
	more := ""
	if i == 0 && !w.Whole {
		more = "> "
	}
	return p.Name() + " " + more + models.Age(p.Took(now))
}

// TextAt is Text with how far the installer is, where its log tells.
func TextAt(w *models.Work, i int, pace models.InstallPace, now time.Time) string {
	p := &w.Phases[i]
	percent, told := pace.Percent(p)
	if !told {
		return Text(w, i, now)
	}
	return fmt.Sprintf("%s %d%% %s", p.Name(), percent, models.Age(p.Took(now)))
}

// Boot is what the ramdisk does that a node boots in its work, without "the ramdisk" before it,
// and whether something is in the way; empty where nothing is known, or it has booted.
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
	return models.Printable(text), role
}

// Longest is how much of an axis a piece of work wants: what it took, or will.
func Longest(w *models.Work, past *models.Experience, pace models.InstallPace, now time.Time) time.Duration {
	longest := w.Took(now)
	if e := past.Estimate(w, now).Pace(past, w, pace, now); e.Known {
		longest += e.Left
	}
	return longest
}

// Line is all phases of a piece of work in words.
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

// Look is how an outcome looks. Work whose end nobody saw says so, unless it goes on.
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
