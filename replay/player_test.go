package replay

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/fleet"
	"ironworks/models"
)

// playing is a player that runs in a test's synctest bubble. It collects the player's reports.
type playing struct {
	*testing.T
	player *Player

	mu      sync.Mutex
	events  []models.Event
	rewound int
	status  fleet.Status
}

func play(t *testing.T, speed float64) *playing {
	t.Helper()
	player, err := New(aDeployment(), speed)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p := &playing{T: t, player: player}
	var running sync.WaitGroup
	running.Go(func() {
		_ = player.Run(ctx, func(u fleet.Update) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if u.Rewound {
				p.events = nil
				p.rewound++
			}
			p.events = append(p.events, u.Events...)
			p.status = u.Status
		})
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return p
}

// at checks the current moment, the node's state and the number of shown events. want is the expected time since the
// start of the recording.
func (p *playing) at(want time.Duration, state models.ProvisionState, events int) {
	p.Helper()
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if got := p.player.State().At.Sub(began); got != want {
		p.Errorf("it shows +%v, want +%v", got, want)
	}
	row, _, _ := p.player.Store().Get(node.Name)
	if row.Node.ProvisionState != state {
		p.Errorf("at +%v the node is %q, want %q", want, row.Node.ProvisionState, state)
	}
	if len(p.events) != events {
		p.Errorf("at +%v there were %d events, want %d", want, len(p.events), events)
	}
	if now := time.Now().Add(p.status.Skew).Sub(began); (now - want).Abs() > pausedInterval {
		p.Errorf("the server's clock is at +%v, want +%v", now, want)
	}
}

func (p *playing) wait(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // the bubble's time
	synctest.Wait()
}

func TestPlay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := play(t, 2)
		p.at(0, models.StateAvailable, 0)
		p.wait(31 * time.Second)
		p.at(62*time.Second, models.StateDeploying, 1)
		p.player.Pause(true)
		p.wait(time.Hour)
		p.at(62*time.Second, models.StateDeploying, 1)
		p.player.Pause(false)
		p.player.SetSpeed(1)
		p.wait(58 * time.Second)
		p.at(2*time.Minute, models.StateDeployWait, 2)
		p.wait(time.Hour)
		p.at(3*time.Minute, models.StateDeployFailed, 3)
		if row, _, _ := p.player.Store().Get(node.UUID); row.Reason != "No suitable device was found" {
			t.Errorf("the reason is %q", row.Reason)
		}
		if s := p.player.State(); !s.Paused {
			t.Errorf("at its end it goes on: %+v", s)
		}
		p.player.Pause(false)
		p.wait(time.Second)
		p.at(time.Second, models.StateAvailable, 0)
		if p.rewound != 1 {
			t.Errorf("it was wound back %d times", p.rewound)
		}
	})
}

func TestSeek(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := play(t, 1)
		p.player.Pause(true)
		p.player.Seek(after(170 * time.Second))
		p.at(170*time.Second, models.StateDeployWait, 2)
		p.player.Seek(after(61 * time.Second))
		p.at(61*time.Second, models.StateDeploying, 1)
		p.player.Seek(after(-time.Hour))
		p.at(0, models.StateAvailable, 0)
		p.player.Seek(after(time.Hour))
		p.at(3*time.Minute, models.StateDeployFailed, 3)
	})
}

// TestSnapshotsAreReconstructed checks that missing snapshots are made from events.
func TestSnapshotsAreReconstructed(t *testing.T) {
	t.Parallel()
	rec := aDeployment()
	rec.Pictures = nil
	step := models.Event{Time: after(90 * time.Second), Node: node, Kind: models.EventStep, To: "deploy.install_coreos"}
	rec.Events = slices.Insert(rec.Events, 1, step)
	player, err := New(rec, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range rec.Pictures {
		n := &rec.Pictures[i].Node
		text := string(n.ProvisionState)
		if n.DeployStep != nil {
			text += " " + n.DeployStep.Label()
		}
		got = append(got, text+n.LastError)
	}
	want := []string{"available", "deploying", "deploying deploy.install_coreos", "wait call-back deploy.install_coreos", "deploy failedNo suitable device was found"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if s := player.State(); !s.From.Equal(after(59 * time.Second)) {
		t.Errorf("it begins at %v", s.From)
	}
}

// TestOutdatedSnapshots checks that a node does not return to an earlier state if two programs recorded it and one of
// their clocks was behind.
func TestOutdatedSnapshots(t *testing.T) {
	t.Parallel()
	rec := aDeployment()
	late := picture(3*time.Minute+time.Second, models.StateDeployWait)
	again := picture(3*time.Minute+2*time.Second, models.StateDeployFailed)
	early := picture(3*time.Minute-700*time.Millisecond, models.StateDeployFailed)
	much := picture(4*time.Minute, models.StateDeployWait)
	rec.Pictures = append(rec.Pictures, late, again, much)
	rec.Pictures = slices.Insert(rec.Pictures, 3, early, picture(3*time.Minute-400*time.Millisecond, models.StateDeployWait))
	rec.Pictures = slices.Insert(rec.Pictures, 3, picture(3*time.Minute-time.Second, models.StateDeployWait))
	player, err := New(rec, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range player.entries {
		if p := player.entries[i].picture; p != nil {
			got = append(got, p.At.Sub(began).String()+" "+string(p.Node.ProvisionState))
		}
	}
	want := []string{
		"0s available", "1m0s deploying", "2m0s wait call-back", "2m59s wait call-back", "2m59.6s wait call-back", "3m0s deploy failed", "3m0s deploy failed", "3m2s deploy failed", "4m0s wait call-back",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPastOperations checks that only operations that have ended by the current moment are returned.
func TestPastOperations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := play(t, 1)
		p.player.Pause(true)
		for _, tt := range []struct {
			at   time.Duration
			want int
		}{{0, 1}, {179 * time.Second, 1}, {3 * time.Minute, 2}} {
			p.player.Seek(after(tt.at))
			works, err := p.player.Answers().OfNode(t.Context(), node.UUID, 10)
			if err != nil || len(works) != tt.want {
				t.Errorf("at +%v: %d, %v", tt.at, len(works), err)
			}
		}
	})
}

func TestFollowLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := play(t, 1)
		p.player.Seek(after(100 * time.Second))
		var mu sync.Mutex
		var got []string
		ctx, cancel := context.WithCancel(t.Context())
		batches := p.player.Follow(ctx, node)
		var reading sync.WaitGroup
		reading.Go(func() {
			for b := range batches {
				mu.Lock()
				for i := range b.Lines {
					got = append(got, b.Lines[i].Text)
				}
				mu.Unlock()
			}
		})
		has := func(want ...string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		has("one")
		p.wait(51 * time.Second)
		has("one", "two")
		p.player.Seek(after(0))
		p.wait(time.Hour)
		has("one", "two") // the log is followed again after a rewind
		cancel()
		reading.Wait()
	})
}

func TestMoments(t *testing.T) {
	t.Parallel()
	rec := aDeployment()
	rec.Lines = append(rec.Lines, models.LogLine{Time: after(175 * time.Second), Node: node, Text: "broken", Known: "something"})
	player, err := New(rec, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range player.Moments() {
		text := m.At.Sub(began).String() + " " + m.Text
		if m.Bad {
			text += " !"
		}
		got = append(got, text)
	}
	want := []string{
		"1m0s available → deploying", "2m0s deploying → wait call-back", "2m55s log: broken !",
		"3m0s wait call-back → deploy failed  No suitable device was found !",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWhenLinesAreShown checks that a line is shown at the machine's time, unless that time is implausible.
func TestWhenLinesAreShown(t *testing.T) {
	t.Parallel()
	from, to := after(0), after(time.Minute)
	tests := map[string]struct {
		time, received, want time.Duration
	}{
		"the machine's":             {30 * time.Second, 50 * time.Second, 30 * time.Second},
		"its clock is years behind": {-20000 * time.Hour, 50 * time.Second, 50 * time.Second},
		"received long after":       {time.Hour, 10 * time.Hour, time.Minute},
		"received before":           {-time.Hour, -time.Minute, 0},
	}
	for name, tt := range tests {
		l := models.LogLine{Time: after(tt.time), Received: after(tt.received)}
		if got := shownAt(&l, from, to); !got.Equal(after(tt.want)) {
			t.Errorf("%s: +%v", name, got.Sub(began))
		}
	}
	if got := shownAt(&models.LogLine{Received: after(time.Second)}, from, to); !got.Equal(after(time.Second)) {
		t.Errorf("without a time: +%v", got.Sub(began))
	}
}
