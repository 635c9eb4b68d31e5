package node

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/screen/logs"
	"ironworks/ui/screen/phase"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
	"ironworks/ui/widget/timebar"
)

const (
	// pastWorks is the maximum number of past operations that are listed.
	pastWorks = 100
	// clockWidth is the width of the start times, and othersWidth is the width of the usual durations. Both are in
	// cells. The usual durations are shown only on wide screens.
	clockWidth  = 10
	othersWidth = 24
)

// timeline holds the data of the Timeline tab: the running or last operation, and recorded operations.
type timeline struct {
	list     *table.Table[*models.Work]
	recorded *fetch.Source[[]models.Work]
	// others holds the last operations of all nodes. experience is learned from all of them except excluded, which is
	// the operation at the cursor.
	others     *fetch.Source[[]models.Work]
	experience *models.Experience
	excluded   *models.Work
	// current is the first operation of the list, if it is running or this console observed it. Otherwise it is nil.
	current *models.Work
}

func newTimeline(env *screen.Env, uuid string) *timeline {
	var kept screen.Journal
	if env.Session != nil {
		kept = env.Session.Journal
	}
	l := &timeline{list: table.New(func(w *models.Work) string { return string(w.Kind) + w.Begin.String() })}
	l.recorded = fetch.New(func(ctx context.Context) ([]models.Work, error) {
		if kept == nil {
			return nil, nil
		}
		return kept.OfNode(ctx, uuid, pastWorks)
	})
	l.others = fetch.New(func(ctx context.Context) ([]models.Work, error) {
		if kept == nil {
			return nil, nil
		}
		return kept.Latest(ctx, phase.LearnFrom)
	}).Then(func([]models.Work) { l.experience = nil })
	l.list.SetColumns(l.columns())
	return l
}

func (l *timeline) columns() []table.Column[*models.Work] {
	return []table.Column[*models.Work]{
		{Key: "outcome", Title: "", Min: 10, Max: 10, Cell: func(w *models.Work) table.Cell {
			glyph, word, role := phase.Look(w, w == l.current)
			return table.Cell{Glyph: glyph, GlyphRole: role, Text: word, Role: role}
		}},
		{Key: "work", Title: "OPERATION", Min: 10, Max: 14, Text: (*models.Work).Noun},
		{Key: "began", Title: "STARTED", Min: 14, Max: 14, Role: theme.Muted, Text: func(w *models.Work) string { return w.Begin.Local().Format("01-02 15:04:05") }},
		{Key: "took", Title: "TOOK", Min: 6, Max: 6, Right: true, Text: func(w *models.Work) string {
			if w.End.IsZero() {
				return ""
			}
			return models.Age(w.Took(w.End))
		}},
		{Key: "how", Title: "RESULT", Min: 16, Grow: 1, Cell: func(w *models.Work) table.Cell {
			if w.Reason != "" {
				return table.Cell{Text: w.Reason, Role: theme.Bad}
			}
			if w == l.current && w.End.IsZero() {
				return table.Cell{}
			}
			return table.Cell{Text: phase.Line(w, w.End)}
		}},
	}
}

// get reads the recorded operations of the node and the last operations of all nodes.
func (l *timeline) get() tea.Cmd { return tea.Batch(l.recorded.Get(), l.others.Get()) }

// experienceWithout returns the experience learned from all past operations except w.
func (l *timeline) experienceWithout(w *models.Work) *models.Experience {
	same := l.excluded != nil && l.excluded.Kind == w.Kind && l.excluded.Begin.Equal(w.Begin)
	if l.experience == nil || !same {
		past, _ := l.others.Value()
		l.excluded = w
		l.experience = models.NewExperience(slices.DeleteFunc(slices.Clone(past), func(x models.Work) bool {
			return x.Node.UUID == w.Node.UUID && sameWork(w, &x)
		}))
	}
	return l.experience
}

// set builds the list: the operation that this console observed, if any, and the recorded ones, newest first.
func (l *timeline) set(row *models.Row, e *models.Evidence) {
	past, _ := l.recorded.Value()
	works := make([]*models.Work, 0, len(past)+1)
	l.current = nil
	if w, seen := e.Work(row); seen {
		l.current = &w
		works = append(works, l.current)
	}
	for i := range past {
		w := &past[i]
		if l.current == nil || !sameWork(l.current, w) {
			works = append(works, w)
			continue
		}
		if !l.current.Whole && w.Begin.Before(l.current.Begin) && len(w.Phases) > 0 && w.Outcome == l.current.Outcome {
			// The operation started before this console did, and another console recorded its start.
			*l.current = *w
		}
	}
	first := l.list.Index() == 0
	l.list.SetRows(works)
	if first {
		l.list.Top() // select a new operation unless the cursor was moved
	}
}

// sameWork reports whether a seen and a recorded operation are the same. Their starts may differ by seconds.
func sameWork(seen, kept *models.Work) bool {
	const nearly = 30 * time.Second
	switch {
	case seen.Kind != kept.Kind || kept.Begin.After(seen.Begin.Add(nearly)):
		return false
	case !kept.End.IsZero() && !kept.End.After(seen.Begin), !seen.End.IsZero() && !seen.End.After(kept.Begin):
		return false // one operation ended before the other started
	case kept.Begin.After(seen.Begin.Add(-nearly)):
		return true
	}
	return kept.End.After(seen.Begin) || kept.End.IsZero() && !seen.Whole
}

func (s *Screen) setTimeline() {
	if s.known() {
		row := s.picture()
		s.timeline.set(&row, &s.evidence)
	}
}

func (s *Screen) drawTimeline(t *theme.Theme, w, h int) []string {
	lines := s.asked(t, w, s.timeline.recorded.Err())
	s.timeline.list.Empty = s.noTimeline()
	work, some := s.timeline.list.Cursor()
	if !some {
		s.timeline.list.Resize(w, max(h-len(lines), 0))
		return append(lines, body.Split(s.timeline.list.Draw(t))...)
	}
	// The list gets at least five lines or, on a tall screen, a third of the height, unless it needs fewer lines.
	least := min(max(h/3, 5), s.timeline.list.Len()+1)
	lines = append(lines, s.drawWork(t, work, w, h-len(lines)-least-1)...)
	lines = append(lines, t.Rule(w))
	s.listAt = len(lines)
	s.timeline.list.Resize(w, max(h-len(lines), 0))
	return append(lines, body.Split(s.timeline.list.Draw(t))...)
}

func (s *Screen) noTimeline() string {
	switch _, read := s.timeline.recorded.Value(); {
	case s.timeline.recorded.Err() != nil:
		return ""
	case s.session.Journal == nil:
		return "No operations since the console opened."
	case !read:
		return "Loading recorded operations…"
	}
	return "No recorded operations. The console, ironworks watch and commands with --wait record " +
		"each deploy, clean and inspect phase by phase."
}

// drawWork draws a description of an operation and a bar for each of its last phases, in at most h lines.
func (s *Screen) drawWork(t *theme.Theme, w *models.Work, width, h int) []string {
	now := s.env.ServerNow()
	past := s.timeline.experienceWithout(w)
	role := theme.Plain
	if w.Outcome == models.OutcomeFailed {
		role = theme.Bad
	}
	lines := body.Draw(t, body.IndentedMost(role, s.workText(w, past, now), width-1, 1, 2), width)
	if text, role := phase.Boot(&s.row, w, now); text != "" && w == s.timeline.current {
		lines = append(lines, body.Draw(t, body.IndentedMost(role, "Ramdisk: "+text+".", width-1, 1, 3), width)...)
	}
	room := h - len(lines) - 1
	if w.Reason != "" && room > len(w.Phases)+1 {
		lines = append(lines, body.Draw(t, body.IndentedMost(theme.Bad, w.Reason, width-1, 1, min(room-len(w.Phases), 4)), width)...)
		room = h - len(lines) - 1
	}
	others := 0
	if width >= 120 {
		others = othersWidth
	}
	scale := timebar.NewScale(phase.Longest(w, past, s.pace(w), now), max(width-clockWidth-others-1, 0))
	spans := phase.Spans(w, past, s.pace(w), now)
	first := max(len(spans)-max(room, 1), 0)
	for i := first; i < len(spans); i++ {
		line := " " + t.Paint(theme.Muted, w.Phases[i].Begin.Local().Format(time.TimeOnly)) + " " + scale.Row(t, spans[i])
		if took := past.Phase(w, &w.Phases[i]); others > 0 {
			text := ""
			if took.N > 0 {
				text = "others " + took.String()
			}
			line += "  " + t.Paint(theme.Muted, text)
		}
		lines = append(lines, line)
	}
	ruler := t.Paint(theme.Muted, scale.Ruler(models.Age))
	return append(lines[:min(len(lines), max(h-1, 0))], fmt.Sprintf("%*s", clockWidth, "")+ruler)
}

// workText describes an operation: its name, its progress, and its usual duration.
func (s *Screen) workText(w *models.Work, past *models.Experience, now time.Time) string {
	began := w.Begin.Local().Format(time.TimeOnly)
	switch {
	case w != s.timeline.current && w.End.IsZero():
		return fmt.Sprintf("%s started %s; its end was not observed.", w.Noun(), began)
	case w.End.IsZero():
		text := models.Capital(w.Noun()) + " running for " + models.Age(w.Took(now))
		if !w.Whole {
			text = models.Capital(w.Noun()) + " running for more than " + models.Age(w.Took(now))
		}
		if p := w.Current(); p != nil {
			text += ": " + p.Name()
			if percent, known := s.pace(w).Percent(p); known {
				text += fmt.Sprintf(" %d%%", percent)
			}
			text += " " + models.Age(p.Took(now))
		}
		return text + s.leftText(w, past, now) + "."
	case w.Outcome == models.OutcomeFailed:
		return fmt.Sprintf("%s failed after %s.", models.Capital(w.Noun()), models.Age(w.Took(now)))
	}
	text := fmt.Sprintf("%s done in %s", models.Capital(w.Noun()), models.Age(w.Took(now)))
	if e := past.Estimate(w, now); e.Total.N > 0 {
		text += fmt.Sprintf("; typical: %s (%s)", e.Total, e.Total.SampleText(w.Noun()))
	}
	return text + "."
}

// leftText describes the estimated remaining time. It returns "" if the time is unknown.
func (s *Screen) leftText(w *models.Work, past *models.Experience, now time.Time) string {
	e := past.Estimate(w, now).Pace(past, w, s.pace(w), now)
	text := e.Text()
	switch {
	case text == "":
		return ""
	case e.Total.N > 0:
		text += " (" + e.Total.SampleText(w.Noun()) + ")"
	}
	return ", " + text
}

// pace returns the progress of the installer if w is the current operation, and the zero value otherwise.
func (s *Screen) pace(w *models.Work) models.InstallPace {
	if w != s.timeline.current {
		return models.InstallPace{}
	}
	return s.env.Installs.Of(s.uuid)
}

// timelineCopies returns the phases and the failure reason of the operation at the cursor.
func (s *Screen) timelineCopies() []screen.Copyable {
	w, ok := s.timeline.list.Cursor()
	if !ok {
		return nil
	}
	copies := []screen.Copyable{{Name: "phases", Text: w.Noun() + " " + w.Begin.UTC().Format(time.RFC3339) + ": " + phase.Line(w, s.env.ServerNow())}}
	if w.Reason != "" {
		copies = append(copies, screen.Copyable{Name: "reason", Text: w.Reason, Shape: screen.Lines})
	}
	return slices.Clip(copies)
}

// logMargin is the time before and after an operation that its log includes, because clocks may differ.
const logMargin = time.Minute

// shownLog returns the recorded log of an earlier operation if one is open, otherwise the live log.
func (s *Screen) shownLog() *logs.Log {
	if s.kept != nil {
		return s.kept
	}
	return s.log
}

// openLog shows the log of the operation at the cursor on the timeline, otherwise the live log.
func (s *Screen) openLog() tea.Cmd {
	if s.tab == timelineTab {
		return s.openWorkLog()
	}
	s.dropKept()
	return s.goTo(logTab)
}

// openWork shows the log of the operation at the cursor. In a replay, it jumps to the start of the operation instead.
func (s *Screen) openWork() tea.Cmd {
	w, some := s.timeline.list.Cursor()
	switch {
	case !some || s.session == nil:
		return nil
	case s.session.Replay != nil:
		s.session.Replay.Seek(w.Begin)
		return nil
	}
	return s.openWorkLog()
}

func (s *Screen) openWorkLog() tea.Cmd {
	s.dropKept()
	w, some := s.timeline.list.Cursor()
	if some && (w != s.timeline.current || !w.End.IsZero()) && s.session != nil && s.session.Journal != nil {
		s.kept = logs.NewKept(s.env, logs.Kept{
			Name: w.Noun() + " of " + w.Begin.Local().Format("01-02 15:04:05"), From: w.Begin.Add(-logMargin), To: s.until(w),
		})
	}
	return s.goTo(logTab)
}

// until returns the end of the period whose log lines are shown for w. The period ends logMargin after w. If the end
// of w is unknown, the period ends at the start of the next operation or, if there is none, at the current time.
func (s *Screen) until(w *models.Work) time.Time {
	if !w.End.IsZero() {
		return w.End.Add(logMargin)
	}
	until := s.env.ServerNow()
	for _, next := range s.timeline.list.Rows() {
		if next.Begin.After(w.Begin) && next.Begin.Before(until) {
			until = next.Begin
		}
	}
	return until
}

// leaveKept returns from a recorded log to the timeline. did reports whether a recorded log was open.
func (s *Screen) leaveKept() (cmd tea.Cmd, did bool) {
	if s.kept == nil {
		return nil, false
	}
	s.dropKept()
	return s.goTo(timelineTab), true
}

func (s *Screen) dropKept() {
	if s.kept != nil {
		s.kept.Close()
		s.kept = nil
	}
}
