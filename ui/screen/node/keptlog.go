package node

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/screen/logs"
)

// logMargin is the time by which the log that is shown for an operation starts before the operation and ends after
// it. The margin is needed because the machine's clock may differ from Ironic's.
const logMargin = time.Minute

// shownLog returns the log that the Log tab shows: the recorded log of an earlier operation if one is open, otherwise
// the live log.
func (s *Screen) shownLog() *logs.Log {
	if s.kept != nil {
		return s.kept
	}
	return s.log
}

// openLog shows a log. On the timeline, it is the log of the operation at the cursor; on other tabs, it is the live
// log.
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
