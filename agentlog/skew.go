package agentlog

import (
	"time"

	"ironworks/models"
)

// skew finds out how far a machine's clock is ahead of Ironic's. A line comes after it
// was written, so that the clock is ahead by no less than the line's time is; the least
// delayed line tells best.
type skew struct {
	clock func() (time.Duration, bool) // Ironic's, ahead of ours
	most  time.Duration
	lines int
}

// see looks at a line that came while the source followed.
func (s *skew) see(l *models.LogLine) {
	if l.Time.IsZero() || l.Received.IsZero() {
		return
	}
	ahead := l.Time.Sub(l.Received)
	if s.lines == 0 || ahead > s.most {
		s.most = ahead
	}
	s.lines++
}

// told is the skew against Ironic, to whole seconds: more cannot be told.
func (s *skew) told() (time.Duration, bool) {
	if s.lines == 0 || s.clock == nil {
		return 0, false
	}
	server, known := s.clock()
	if !known {
		return 0, false
	}
	return (s.most - server).Round(time.Second), true
}
