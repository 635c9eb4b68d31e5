package fleet

import (
	"time"

	"ironworks/models"
	"ironworks/models/explain"
)

const maxLogEvents = 10_000

// AddLogLines processes lines of ramdisk logs. It stores the boot progress with each node, and reports the progress
// together with the server's next response. Lines from the same source of a node must be in order. skew is the time
// by which the server's clock is ahead of the clock that set the lines' Received times.
func (s *Store) AddLogLines(lines []models.LogLine, skew time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	logs := map[string]*explain.BootLog{}
	for i := range lines {
		l := lines[i]
		l.Received = l.Received.Add(skew)
		r, known := s.nodes[l.Node.UUID]
		if !known {
			continue
		}
		log := logs[l.Node.UUID]
		if log == nil {
			log = &explain.BootLog{}
			if r.log != nil {
				*log = *r.log
			}
			logs[l.Node.UUID] = log
		}
		log.AddLine(&l)
	}
	for uuid, log := range logs {
		s.setLog(s.nodes[uuid], log)
	}
}

// setLog stores the state of a ramdisk's log in the node's record, and the resulting boot progress in the node's row.
func (s *Store) setLog(r *record, log *explain.BootLog) {
	row := *r.row
	before := explain.BootOf(&row)
	r.log, row.Log = log, log.Progress()
	r.row = &row
	after := explain.BootOf(&row)
	if after.Same(before) {
		return // do not redraw the fleet for lines that change nothing visible
	}
	s.revision++
	stuck := after.Obstacle != nil && (before.Obstacle == nil || before.Obstacle.ID != after.Obstacle.ID)
	if row.Node.ProvisionState.Class() != models.ClassWait || after.Stage <= models.RamdiskPowerOn || len(s.logEvents) >= maxLogEvents {
		return
	}
	e := models.Event{Time: after.Since, Node: row.Node.Ref(), Kind: models.EventRamdisk, From: before.Stage.Noun(), To: after.Stage.Noun()}
	switch {
	case stuck:
		e.Time, e.Reason = after.Obstacle.Last, after.Obstacle.Text
	case after.Stage == before.Stage:
		return
	}
	if e.Time.IsZero() {
		e.Time = log.Last()
	}
	s.logEvents = append(s.logEvents, e)
}
