package node

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/screen/logs"
)

// around is how much of the log before and after a piece of work belongs to it: the
// machine's clock is not Ironic's.
const around = time.Minute

// shownLog is the log of the tab: the live one, or that of earlier work.
func (s *Screen) shownLog() *logs.Log {
	if s.kept != nil {
		return s.kept
	}
	return s.log
}

// openLog goes to the log: from the timeline to that of the work at the cursor, from
// elsewhere to the live one.
func (s *Screen) openLog() tea.Cmd {
	if s.tab == timelineTab {
		return s.openWorkLog()
	}
	s.dropKept()
	return s.goTo(logTab)
}

// openWork goes to the log of the work at the cursor; a recording goes to its beginning.
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
			Name: w.Noun() + " of " + w.Begin.Local().Format("01-02 15:04:05"), From: w.Begin.Add(-around), To: s.until(w),
		})
	}
	return s.goTo(logTab)
}

// until is when the log of a piece of work ends: where nobody saw that, when the next
// begins.
func (s *Screen) until(w *models.Work) time.Time {
	if !w.End.IsZero() {
		return w.End.Add(around)
	}
	until := s.env.ServerNow()
	for _, next := range s.timeline.list.Rows() {
		if next.Begin.After(w.Begin) && next.Begin.Before(until) {
			until = next.Begin
		}
	}
	return until
}

// leaveKept goes back from the log of earlier work to the timeline that it was opened
// from; did says that it was one.
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
