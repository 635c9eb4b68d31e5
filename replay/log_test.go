package replay

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
)

// TestFollowReportsItsSources checks that each source with lines is reported as followed, and that a node without
// lines is reported as having none.
func TestFollowReportsItsSources(t *testing.T) {
	t.Parallel()
	rec := aDeployment()
	rec.Lines[2].Source = models.LogServe // a source that is never followed
	rec.Lines = append(rec.Lines, models.LogLine{Time: after(0), Node: node, Source: models.LogPush, Text: "pushed"})
	player, err := New(rec, 1)
	if err != nil {
		t.Fatal(err)
	}
	other := models.NodeRef{UUID: "22222222-2222-4222-8222-222222222222"}
	following := func(s models.LogSource) agentlog.Status {
		return agentlog.Status{Node: node, Source: s, State: agentlog.StateFollowing, Address: "recording"}
	}
	for name, tt := range map[string]struct {
		node models.NodeRef
		want []agentlog.Status
	}{
		"lines of two sources": {node, []agentlog.Status{following(models.LogSSH), following(models.LogPush)}},
		"no line": {other, []agentlog.Status{{
			Node: other, Source: models.LogArchive, State: agentlog.StateEnded, Address: "recording",
			Reason: "no log lines of this node in the recording", Remedy: "lines are recorded only while the log is followed",
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			batches := player.Follow(ctx, tt.node)
			got := (<-batches).Status
			slices.SortFunc(tt.want, func(a, b agentlog.Status) int {
				all := models.LogSources()
				return slices.Index(all, a.Source) - slices.Index(all, b.Source)
			})
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			cancel()
			for range batches { //nolint:revive // until it is closed
			}
		})
	}
}

// TestFollowInBatches checks that lines arrive in order and in batches, and that the follower can be stopped wherever
// it may block.
func TestFollowInBatches(t *testing.T) {
	t.Parallel()
	const lines = 2*maxBatch + 1
	rec := aDeployment()
	rec.Lines = nil
	for i := range lines {
		rec.Lines = append(rec.Lines, line(0, strconv.Itoa(i)))
	}
	for read, want := range []int{0, 0, maxBatch, 2 * maxBatch, lines} {
		synctest.Test(t, func(t *testing.T) {
			player, err := New(rec, 1)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			batches := player.Follow(ctx, node)
			got := 0
			for range read {
				for _, l := range (<-batches).Lines {
					if l.Text != strconv.Itoa(got) {
						t.Fatalf("line %q, want %d", l.Text, got)
					}
					got++
				}
			}
			if got != want {
				t.Errorf("%d lines in %d batches, want %d", got, read, want)
			}
			synctest.Wait()
			cancel()
			synctest.Wait()
			if b, open := <-batches; open {
				t.Errorf("a batch of %d lines after the end", len(b.Lines))
			}
		})
	}
}

// TestMomentsOfMany checks that only some events are moments. Instance changes and events of unknown kinds are never
// moments. If there are too many events, only provision state changes and added or removed nodes are moments.
func TestMomentsOfMany(t *testing.T) {
	t.Parallel()
	of := func(d time.Duration, kind models.EventKind) models.Event {
		return models.Event{Time: after(d), Node: node, Kind: kind, To: "x"}
	}
	rec := &Recording{Events: []models.Event{
		of(0, models.EventAdded), of(1, models.EventError), of(2, models.EventInstance), of(3, "made up"), of(4, models.EventRemoved),
	}}
	kinds := func() (got []time.Duration) {
		player, err := New(rec, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range player.Moments() {
			if m.Bad != m.At.Equal(after(1)) {
				t.Errorf("%+v: bad %t", m, m.Bad)
			}
			got = append(got, m.At.Sub(began))
		}
		return got
	}
	if got, want := kinds(), []time.Duration{0, 1, 4}; !slices.Equal(got, want) {
		t.Errorf("moments at %v, want %v", got, want)
	}
	for len(rec.Events) <= maxMoments {
		rec.Events = append(rec.Events, of(5, models.EventPower))
	}
	if got, want := kinds(), []time.Duration{0, 4}; !slices.Equal(got, want) {
		t.Errorf("moments at %v, want %v", got, want)
	}
}

// TestSpeeds checks that the offered speeds increase and include 1, and that SetSpeed limits the speed.
func TestSpeeds(t *testing.T) {
	t.Parallel()
	speeds := Speeds()
	if !slices.IsSorted(speeds) || !slices.Contains(speeds, 1) {
		t.Errorf("%v", speeds)
	}
	player, err := New(aDeployment(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for set, want := range map[float64]float64{-1: 0.01, 0: 0.01, 256: 256, 1e9: 10_000} {
		if player.SetSpeed(set); player.State().Speed != want {
			t.Errorf("speed %v, set %v, want %v", player.State().Speed, set, want)
		}
	}
}
