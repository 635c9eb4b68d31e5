package fleet

import (
	"time"

	"ironworks/models"
	"ironworks/models/explain"
)

// mostHeard bounds the events that wait to be told.
const mostHeard = 10_000

// Heard takes in lines of ramdisks' logs: what they tell of a boot is kept with its node, and
// told with what the server says next. Lines of one source of a node have to come in their
// order. The server's clock is ahead of that of the lines' Received by skew.
func (s *Store) Heard(lines []models.LogLine, skew time.Duration) {
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
		log.Take(&l)
	}
	for uuid, log := range logs {
		s.keepLog(s.nodes[uuid], log)
	}
}

// keepLog puts what a log tells into the row of its node.
func (s *Store) keepLog(r *record, log *explain.BootLog) {
	row := *r.row
	before := explain.BootOf(&row)
	r.log, row.Log = log, log.Told()
	r.row = &row
	after := explain.BootOf(&row)
	if after.Same(before) {
		return // the fleet is drawn anew for what shows, not for each line
	}
	s.revision++
	stuck := after.Obstacle != nil && (before.Obstacle == nil || before.Obstacle.ID != after.Obstacle.ID)
	if row.Node.ProvisionState.Class() != models.ClassWait || after.Stage <= models.RamdiskPowerOn || len(s.heard) >= mostHeard {
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
	s.heard = append(s.heard, e)
}
