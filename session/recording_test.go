package session

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/agentlog"
	"ironworks/fleet"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/provision"
)

func keptAt(t *testing.T) *journal.Journal {
	t.Helper()
	kept := journal.Open(t.Context(), journal.Options{
		Path: filepath.Join(t.TempDir(), "journal-x.db"), OnError: func(err error) { t.Error(err) },
	})
	t.Cleanup(kept.Close)
	return kept
}

// batchesOf is a follower that returns the given batches and then waits until ctx is done.
type batchesOf []agentlog.Batch

func (b batchesOf) Follow(ctx context.Context, _ models.NodeRef, _ ...models.LogSource) <-chan agentlog.Batch {
	out := make(chan agentlog.Batch)
	go func() {
		defer close(out)
		for _, batch := range b {
			select {
			case out <- batch:
			case <-ctx.Done():
				return
			}
		}
		<-ctx.Done()
	}()
	return out
}

// TestLogsAreRecorded checks that the reader gets all batches, and that the journal contains their lines. It also
// checks that following ends when the context is canceled, even if the batches are not read.
func TestLogsAreRecorded(t *testing.T) {
	t.Parallel()
	node := models.NodeRef{UUID: pastUUID, Name: "r7-n01"}
	var batches batchesOf
	for i := range 3 {
		line := func(source models.LogSource, n int) models.LogLine {
			at := time.Unix(int64(1_700_000_000+10*i+n), 0)
			return models.LogLine{Time: at, Received: at, Node: node, Source: source, Text: fmt.Sprintf("%s-%d-%d", source, i, n), Boot: "b", Cursor: fmt.Sprintf("%d-%d", i, n)}
		}
		batches = append(batches, agentlog.Batch{Lines: []models.LogLine{line(models.LogSSH, 0), line(models.LogStatus, 1), line(models.LogPush, 2)}, Dropped: i})
	}
	kept := keptAt(t)
	ctx, cancel := context.WithCancel(t.Context())
	follower := withRecording(batches, RecordIn(kept))
	got := follower.Follow(ctx, node)
	lines := 0
	for i := range 2 {
		b := <-got
		lines += len(b.Lines)
		clear(b.Lines) // the reader may change the lines
		if b.Dropped != i {
			t.Errorf("batch %d: %+v", i, b)
		}
	}
	cancel() // the third batch was not read
	for range got {
		t.Error("a batch after the end")
	}
	var texts []string
	for l, err := range kept.Lines(t.Context(), node.UUID, time.Time{}, time.Unix(1_700_000_019, 0)) {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, l.Text)
	}
	if text := strings.Join(texts, " "); lines != 6 || text != "ssh-0-0 push-0-2 ssh-1-0 push-1-2" {
		t.Errorf("%d lines came, kept are %s", lines, text)
	}
}

// TestSnapshotsOfProgress checks that frequent progress reports about a node result in a snapshot only when the node
// has changed.
func TestSnapshotsOfProgress(t *testing.T) {
	t.Parallel()
	var stood Snapshots
	var got []string
	for i, p := range []provision.Progress{
		{},
		{Work: &models.Work{}},
		{Work: &models.Work{}, Now: &models.Node{ProvisionState: models.StateDeploying}},
		{Work: &models.Work{}, Now: &models.Node{ProvisionState: models.StateDeploying, ProvisionUpdatedAt: models.Time{Time: time.Unix(1, 0)}}},
		{Work: &models.Work{}, Now: &models.Node{ProvisionState: models.StateDeploying, DeployStep: &models.Step{Interface: "deploy", Step: "x"}}},
		{Work: &models.Work{}, Now: &models.Node{ProvisionState: models.StateActive}},
	} {
		r := stood.Records(&p)
		got = append(got, fmt.Sprintf("%d:%d+%d", i, len(r.Works), len(r.Pictures)))
	}
	if text := strings.Join(got, " "); text != "0:0+0 1:1+0 2:1+1 3:1+0 4:1+1 5:1+1" {
		t.Error(text)
	}
}

// TestUpdatesAreRecorded checks that updates are recorded with a snapshot of each node that has an event.
func TestUpdatesAreRecorded(t *testing.T) {
	t.Parallel()
	store := fleet.NewStore()
	tape := fleet.NewTape(store)
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	for _, name := range []string{"n1", "n2"} {
		tape.Put(&models.Picture{At: at(1), Node: models.Node{UUID: "u-" + name, Name: name, ProvisionState: models.StateDeploying}})
	}
	event := func(s int64, name string) models.Event {
		return models.Event{Time: at(s), Node: models.NodeRef{UUID: "u-" + name, Name: name}, Kind: models.EventPower}
	}
	r := UpdateRecords(store, fleet.Update{
		Events: []models.Event{event(1, "n1"), event(2, "n1"), event(3, "gone")}, Works: make([]models.Work, 2),
	})
	if len(r.Events) != 3 || len(r.Works) != 2 || len(r.Pictures) != 1 || r.Pictures[0].Node.Name != "n1" || !r.Pictures[0].At.Equal(at(2)) {
		t.Errorf("%+v", r)
	}
}
