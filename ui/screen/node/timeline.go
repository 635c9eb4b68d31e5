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
	"ironworks/ui/screen/phase"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
	"ironworks/ui/widget/timebar"
)

const (
	// pastWorks is how many past pieces of work are listed.
	pastWorks = 100
	// clockWidth is the column of the times at which phases began, othersWidth that of how
	// long they took others, on screens that have the room.
	clockWidth  = 10
	othersWidth = 24
)

// timeline is what the Timeline tab shows: the work that goes on or was seen last, and
// what was kept of earlier work.
type timeline struct {
	list *table.Table[*models.Work]
	past *fetch.Source[[]models.Work]
	// others is what ended last on all nodes, experience what is learnt of it for the work
	// at the cursor, which is not among them: without.
	others     *fetch.Source[[]models.Work]
	experience *models.Experience
	without    *models.Work
	// current is the first of the list where that goes on or was seen from here.
	current *models.Work
}

func newTimeline(env *screen.Env, uuid string) *timeline {
	now := env.Clock.Now
	var kept screen.Journal
	if env.Session != nil {
		kept = env.Session.Journal
	}
	l := &timeline{list: table.New(func(w *models.Work) string { return string(w.Kind) + w.Begin.String() })}
	l.past = fetch.New(now, func(ctx context.Context) ([]models.Work, error) {
		if kept == nil {
			return nil, nil
		}
		return kept.OfNode(ctx, uuid, pastWorks)
	})
	l.others = fetch.New(now, func(ctx context.Context) ([]models.Work, error) {
		if kept == nil {
			return nil, nil
		}
		return kept.Latest(ctx, phase.LearnFrom)
	})
	l.list.SetColumns(l.columns())
	return l
}

func (l *timeline) columns() []table.Column[*models.Work] {
	return []table.Column[*models.Work]{
		{Key: "outcome", Title: "", Min: 10, Max: 10, Cell: func(w *models.Work) table.Cell {
			glyph, word, role := phase.Look(w, w == l.current)
			return table.Cell{Glyph: glyph, GlyphRole: role, Text: word, Role: role}
		}},
		{Key: "work", Title: "WORK", Min: 10, Max: 14, Cell: func(w *models.Work) table.Cell { return table.Cell{Text: w.Noun()} }},
		{Key: "began", Title: "BEGAN", Min: 14, Max: 14, Cell: func(w *models.Work) table.Cell {
			return table.Cell{Text: w.Begin.Local().Format("01-02 15:04:05"), Role: theme.Muted}
		}},
		{Key: "took", Title: "TOOK", Min: 6, Max: 6, Right: true, Cell: func(w *models.Work) table.Cell {
			if w.End.IsZero() {
				return table.Cell{}
			}
			return table.Cell{Text: models.Age(w.Took(w.End))}
		}},
		{Key: "how", Title: "HOW", Min: 16, Grow: 1, Cell: func(w *models.Work) table.Cell {
			if w.Reason != "" {
				return table.Cell{Text: models.Printable(w.Reason), Role: theme.Bad}
			}
			if w == l.current && w.End.IsZero() {
				return table.Cell{}
			}
			return table.Cell{Text: phase.Line(w, w.End)}
		}},
	}
}

// get reads what is kept.
func (l *timeline) get() tea.Cmd { return tea.Batch(l.past.Get(), l.others.Get()) }

func (l *timeline) close() {
	l.past.Close()
	l.others.Close()
}

// take takes an answer in.
func (l *timeline) take(msg tea.Msg) (mine bool, next tea.Cmd) {
	if mine, next = l.past.Take(msg); mine {
		return mine, next
	}
	if mine, next = l.others.Take(msg); mine {
		l.experience = nil
	}
	return mine, next
}

// learnt is what others took for such work as this one, without itself.
func (l *timeline) learnt(w *models.Work) *models.Experience {
	same := l.without != nil && l.without.Kind == w.Kind && l.without.Begin.Equal(w.Begin)
	if l.experience == nil || !same {
		past, _ := l.others.Value()
		l.without = w
		l.experience = models.NewExperience(slices.DeleteFunc(slices.Clone(past), func(x models.Work) bool {
			return x.Node.UUID == w.Node.UUID && sameWork(w, &x)
		}))
	}
	return l.experience
}

// set puts the list together: what goes on first, then what was kept, the newest first.
func (l *timeline) set(row *models.Row, e *models.Evidence) {
	past, _ := l.past.Value()
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
			// It began before this program did, and another one saw it.
			*l.current = *w
		}
	}
	first := l.list.Index() == 0
	l.list.SetRows(works)
	if first {
		l.list.Top() // who has not gone to earlier work sees what begins
	}
}

// sameWork says that what was kept is what was seen from here.
func sameWork(seen, kept *models.Work) bool {
	const nearly = 30 * time.Second
	switch {
	case seen.Kind != kept.Kind || kept.Begin.After(seen.Begin.Add(nearly)):
		return false
	case !kept.End.IsZero() && !kept.End.After(seen.Begin), !seen.End.IsZero() && !seen.End.After(kept.Begin):
		return false // one after the other
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
	lines := s.asked(t, w, s.timeline.past.Err())
	s.timeline.list.Empty = s.noTimeline()
	work, some := s.timeline.list.Cursor()
	if !some {
		s.timeline.list.Resize(w, max(h-len(lines), 0))
		return append(lines, body.Split(s.timeline.list.Draw(t))...)
	}
	// The list keeps a few lines, or a third of a high screen.
	least := min(max(h/3, 5), s.timeline.list.Len()+1)
	lines = append(lines, s.drawWork(t, work, w, h-len(lines)-least-1)...)
	lines = append(lines, t.Rule(w))
	s.timeline.list.Resize(w, max(h-len(lines), 0))
	return append(lines, body.Split(s.timeline.list.Draw(t))...)
}

// noTimeline says why there is nothing.
func (s *Screen) noTimeline() string {
	switch _, read := s.timeline.past.Value(); {
	case s.timeline.past.Err() != nil:
		return ""
	case s.session.Journal == nil:
		return "Nothing was deployed, cleaned or inspected since the console was opened."
	case !read:
		return "Reading what was kept of this node…"
	}
	return "No deployment, cleaning or inspection of this node was ever seen from here. What goes on while the console, " +
		"ironworks watch or a command with --wait runs is shown here, phase by phase, and kept."
}

// drawWork is a piece of work in at most h lines: what it is, and a bar for each phase
// on one axis. Where there are too many phases the last ones are shown.
func (s *Screen) drawWork(t *theme.Theme, w *models.Work, width, h int) []string {
	now := s.env.ServerNow()
	past := s.timeline.learnt(w)
	lines := body.Draw(t, body.Few(s.workRole(w), s.workText(w, past, now), width-1, 1, 2), width)
	if text, role := phase.Boot(&s.row, w, now); text != "" && w == s.timeline.current {
		lines = append(lines, body.Draw(t, body.Few(role, "The ramdisk "+text+".", width-1, 1, 3), width)...)
	}
	room := h - len(lines) - 1
	if w.Reason != "" && room > len(w.Phases)+1 {
		lines = append(lines, body.Draw(t, body.Few(theme.Bad, models.PrintableLines(w.Reason), width-1, 1, min(room-len(w.Phases), 4)), width)...)
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
		if others > 0 {
			line += "  " + t.Paint(theme.Muted, othersText(past.Phase(w, &w.Phases[i])))
		}
		lines = append(lines, line)
	}
	ruler := t.Paint(theme.Muted, scale.Ruler(models.Age))
	return append(lines[:min(len(lines), max(h-1, 0))], fmt.Sprintf("%*s", clockWidth, "")+ruler)
}

func othersText(took models.Took) string {
	if took.N == 0 {
		return ""
	}
	return "others " + took.String()
}

func (s *Screen) workRole(w *models.Work) theme.Role {
	if w.Outcome == models.OutcomeFailed {
		return theme.Bad
	}
	return theme.Plain
}

// workText says what a piece of work is, how far it is and what others took.
func (s *Screen) workText(w *models.Work, past *models.Experience, now time.Time) string {
	began := w.Begin.Local().Format(time.TimeOnly)
	switch {
	case w != s.timeline.current && w.End.IsZero():
		return fmt.Sprintf("A %s that began at %s; nobody saw its end.", w.Noun(), began)
	case w.End.IsZero():
		text := capital(w.Noun()) + " for " + models.Age(w.Took(now))
		if !w.Whole {
			text = capital(w.Noun()) + " for more than " + models.Age(w.Took(now))
		}
		if p := w.Current(); p != nil {
			text += ": " + p.Name()
			if percent, told := s.pace(w).Percent(p); told {
				text += fmt.Sprintf(" %d%%", percent)
			}
			text += " " + models.Age(p.Took(now))
		}
		return text + s.leftText(w, past, now) + "."
	case w.Outcome == models.OutcomeFailed:
		return fmt.Sprintf("%s failed after %s.", capital(w.Noun()), models.Age(w.Took(now)))
	}
	text := fmt.Sprintf("%s done in %s", capital(w.Noun()), models.Age(w.Took(now)))
	if e := past.Estimate(w, now); e.Total.N > 0 {
		text += fmt.Sprintf("; others took %s (%s)", e.Total, e.Total.Of(w.Noun()))
	}
	return text + "."
}

// leftText is what is left of work that goes on, by what others took.
func (s *Screen) leftText(w *models.Work, past *models.Experience, now time.Time) string {
	e := past.Estimate(w, now).Pace(past, w, s.pace(w), now)
	text := e.Text()
	switch {
	case text == "":
		return ""
	case e.Total.N > 0:
		text += " (" + e.Total.Of(w.Noun()) + ")"
	}
	return ", " + text
}

// pace is how far the installer is of the work that goes on.
func (s *Screen) pace(w *models.Work) models.InstallPace {
	if w != s.timeline.current {
		return models.InstallPace{}
	}
	return s.env.Installs.Of(s.uuid)
}

func capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// timelineCopies are the phases of the work at the cursor.
func (s *Screen) timelineCopies() []screen.Copyable {
	w, ok := s.timeline.list.Cursor()
	if !ok {
		return nil
	}
	copies := []screen.Copyable{{Name: "phases", Text: w.Noun() + " " + w.Begin.UTC().Format(time.RFC3339) + ": " + phase.Line(w, s.env.ServerNow())}}
	if w.Reason != "" {
		copies = append(copies, screen.Copyable{Name: "reason", Text: models.PrintableLines(w.Reason)})
	}
	return slices.Clip(copies)
}
