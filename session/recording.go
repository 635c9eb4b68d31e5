package session

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"ironworks/agentlog"
	"ironworks/fleet"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/filter"
	"ironworks/provision"
)

// UpdateRecords returns the journal records for an update, with snapshots of the nodes that had events.
func UpdateRecords(store *fleet.Store, u fleet.Update) journal.Records {
	r := journal.Records{Events: u.Events, Works: u.Works}
	done := map[string]bool{}
	for _, e := range slices.Backward(u.Events) { // backward, so that the snapshot has the time of the node's last event
		if done[e.Node.UUID] {
			continue
		}
		done[e.Node.UUID] = true
		if row, _, there := store.Get(e.Node.UUID); there {
			r.Pictures = append(r.Pictures, models.Picture{At: e.Time, Node: row.Node})
		}
	}
	return r
}

// Snapshots turns progress reports into journal records. Only nodes that have changed get a snapshot.
type Snapshots struct {
	mu   sync.Mutex
	last map[string]string
}

// Records returns the journal records for a progress report.
func (t *Snapshots) Records(p *provision.Progress) journal.Records {
	var r journal.Records
	if p.Work == nil {
		return r
	}
	r.Works = []models.Work{*p.Work}
	if p.Now == nil {
		return r
	}
	step, _ := p.Now.CurrentStep()
	stands := fmt.Sprint(p.Now.ProvisionState, step.Label(), p.Now.PowerState, p.Now.Maintenance, p.Now.LastError)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		t.last = map[string]string{}
	}
	if t.last[p.Node.UUID] != stands {
		t.last[p.Node.UUID] = stands
		r.Pictures = []models.Picture{{At: p.At, Node: *p.Now}}
	}
	return r
}

func withRecording(f agentlog.Follower, record LineRecorder) agentlog.Follower {
	return &recordingFollower{Follower: f, record: record}
}

type recordingFollower struct {
	agentlog.Follower
	record LineRecorder
}

// LineRecorder records lines of ramdisk logs.
type LineRecorder func([]models.LogLine)

// RecordIn returns a LineRecorder that writes to a journal.
func RecordIn(j *journal.Journal) LineRecorder {
	return func(lines []models.LogLine) { j.Record(journal.Records{Lines: lines}) }
}

// recordAndShow returns a LineRecorder that writes lines to the journal. It also reads boot progress from the lines,
// converts the times to the server's clock, and adds the progress to store.
func recordAndShow(j *journal.Journal, store *fleet.Store) LineRecorder {
	record := RecordIn(j)
	return func(lines []models.LogLine) {
		record(lines)
		store.AddLogLines(lines, store.Status().Skew)
	}
}

// Follow follows a node's log and records its lines.
func (k *recordingFollower) Follow(ctx context.Context, node models.NodeRef, more ...models.LogSource) <-chan agentlog.Batch {
	return recordLines(ctx, k.record, k.Follower.Follow(ctx, node, more...))
}

func recordLines(ctx context.Context, record LineRecorder, batches <-chan agentlog.Batch) <-chan agentlog.Batch {
	out := make(chan agentlog.Batch)
	go func() {
		defer close(out)
		for b := range batches {
			record(b.Lines)
			if ctx.Err() == nil { // after ctx is done, the reader gets nothing more, and batches will be closed
				agentlog.Send(ctx, out, b)
			}
		}
	}()
	return out
}

// AddRecordedLines reads the journal every readPeriod, for up to maxNodes nodes.
const (
	readPeriod = 2 * time.Second
	maxNodes   = 50
)

// AddRecordedLines reads the log lines that other processes write to the journal, for example another console or the
// ironworks logs command. Until ctx is done, it updates the boot progress of waiting nodes in store from these lines.
// It skips lines that it cannot read.
func AddRecordedLines(ctx context.Context, records JournalReader, store *fleet.Store) {
	from := map[string]time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(readPeriod):
		}
		left := maxNodes
		for _, row := range store.Rows(filter.Filter{}, explain.Columns()[0], false) {
			uuid := row.Node.UUID
			if row.Node.ProvisionState.Class() != models.ClassWait {
				delete(from, uuid)
				continue
			}
			if left--; left < 0 {
				break
			}
			if from[uuid].IsZero() {
				from[uuid] = time.Now().Add(-LogReach)
			}
			var lines []models.LogLine
			for l, err := range records.Lines(ctx, uuid, from[uuid], time.Time{}) {
				if err != nil {
					break
				}
				lines = append(lines, l)
			}
			if n := len(lines); n > 0 {
				if from[uuid] = lines[n-1].Time; from[uuid].IsZero() {
					from[uuid] = lines[n-1].Received
				}
				store.AddLogLines(lines, store.Status().Skew)
			}
		}
	}
}
