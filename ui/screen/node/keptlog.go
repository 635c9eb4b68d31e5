package node

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/screen/logs"
)

// logMargin is the time before and after an operation whose log lines are shown: the machine's clock may differ from
// Ironic's.
const logMargin = time.Minute

// shownLog returns the live log, or that of an earlier operation.
func (s *Screen) shownLog() *logs.Log {
	if s.kept != nil {
		return s.kept
	}
	return s.log
}

// openLog shows the log: on the timeline that of the operation at the cursor, elsewhere the live one.
func (s *Screen) openLog() tea.Cmd {
	if s.tab == timelineTab {
		return s.openWorkLog()
	}
	s.dropKept()
	return s.goTo(logTab)
}

// openWork shows the log of the operation at the cursor; a recording jumps to its start.
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

// until returns the end of an operation's log. If the end of the operation is unknown, it is the start of the next
// operation, or now.
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

// leaveKept goes back from a recorded log to the timeline; did reports whether one was open.
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
