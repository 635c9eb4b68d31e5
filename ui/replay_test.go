package ui

import (
	"context"
	"testing"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/replay"
	"ironworks/ui/screen"
)

// recorded is the time when the recording starts.
var recorded = time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)

// aFailure returns a recording of a deployment of r7-n01 that fails after four minutes.
func aFailure() *replay.Recording {
	node := rack()[0]
	node.LastError = ""
	rec := &replay.Recording{Header: replay.Header{Context: "rack7", API: "1.115", Nodes: []models.NodeRef{node.Ref()}}}
	state, internal := models.StateAvailable, node.Internal
	node.DeployStep, node.Internal, node.Reservation = nil, nil, ""
	picture := func(d time.Duration, to models.ProvisionState, reason string, change func(*models.Node)) {
		if to != state {
			rec.Events = append(rec.Events, models.Event{
				Time: recorded.Add(d), Node: node.Ref(), Kind: models.EventProvisionState, From: string(state), To: string(to), Reason: reason,
			})
		}
		node.ProvisionState, state = to, to
		change(&node)
		rec.Pictures = append(rec.Pictures, models.Picture{At: recorded.Add(d), Node: node})
	}
	line := func(d time.Duration, level models.LogLevel, text string) {
		rec.Lines = append(rec.Lines, agentlog.Sanitize(models.LogLine{
			Time: recorded.Add(d), Received: recorded.Add(d), Node: node.Ref(), Source: models.LogSSH, Boot: "b", Unit: "ironic-agent", Level: level, Text: text,
		}))
	}
	none := func(*models.Node) {}
	picture(0, models.StateAvailable, "", none)
	picture(20*time.Second, models.StateDeploying, "", func(n *models.Node) { n.TargetProvisionState = models.StateActive })
	picture(30*time.Second, models.StateDeployWait, "", none)
	line(70*time.Second, models.LogInfo, "Started ironic-agent.service")
	picture(2*time.Minute, models.StateDeploying, "", func(n *models.Node) {
		n.Internal, n.DeployStep = internal, &models.Step{Interface: "deploy", Step: "install_coreos"}
	})
	line(125*time.Second, models.LogInfo, "Executing deploy step install_coreos")
	line(230*time.Second, models.LogError, "No suitable device was found for deployment using these hints {'serial': 'X'}")
	picture(4*time.Minute, models.StateDeployFailed, "No suitable device was found", func(n *models.Node) { n.Internal, n.DeployStep = nil, nil })
	return rec
}

// replayed calls test with a console that plays a recording, paused at its beginning.
func replayed(t *testing.T, test func(r *rig, p *replay.Player)) {
	t.Helper()
	var player *replay.Player
	inBubble(t, nil, func(_ *rig, o *Options) {
		var err error
		if player, err = replay.New(aFailure(), 1); err != nil {
			t.Fatal(err)
		}
		player.Pause(true)
		answers := player.Answers()
		o.ReadOnly = true
		o.Open = func(string, func(string)) (*screen.Session, error) {
			return &screen.Session{
				Context: screen.Context{Name: "rack7", ReadOnly: true}, Store: player.Store(), API: answers, Journal: answers, Logs: player, Replay: player,
				Explain: func(ctx context.Context, uuid string, _ *explain.BMCFacts) (*provision.Explained, error) {
					return provision.NewExplainer(answers, provision.ExplainSources{}).Explain(ctx, uuid)
				},
				Poller: player, Close: func() {},
			}, nil
		}
	}, func(r *rig) { test(r, player) })
}

func TestReplayScreens(t *testing.T) {
	tests := map[string]func(r *rig, p *replay.Player){
		"replay-fleet":   func(r *rig, p *replay.Player) { p.Seek(recorded.Add(150 * time.Second)); r.pass(time.Second) },
		"replay-moments": func(r *rig, _ *replay.Player) { r.press("#") },
		"replay-log": func(r *rig, p *replay.Player) {
			p.Seek(recorded.Add(4 * time.Minute))
			r.pass(time.Second)
			r.press("L")
			r.pass(time.Second)
		},
		"replay-explain": func(r *rig, p *replay.Player) {
			p.Seek(recorded.Add(4 * time.Minute))
			r.pass(time.Second)
			r.press("e")
			r.pass(time.Second)
		},
		"replay-timeline": func(r *rig, p *replay.Player) {
			p.Seek(recorded.Add(4 * time.Minute))
			r.pass(time.Second)
			r.press("enter", "tab")
			r.pass(time.Second)
		},
	}
	for name, show := range tests {
		t.Run(name, func(t *testing.T) {
			replayed(t, func(r *rig, p *replay.Player) {
				show(r, p)
				r.golden(name)
			})
		})
	}
}

// TestReplayIsOnEveryScreen checks that every screen shows that a recording plays and which time it has reached, and
// that actions on nodes are disabled.
func TestReplayIsOnEveryScreen(t *testing.T) {
	replayed(t, func(r *rig, p *replay.Player) {
		p.Seek(recorded.Add(time.Minute))
		r.pass(time.Second)
		for _, keys := range [][]string{{"1"}, {"2"}, {"3"}, {"4"}, {"5"}, {"6"}, {"7"}, {"1", "enter"}, {"tab"}, {"tab"}, {"tab"}, {"tab"}, {"L"}, {"tab"}, {"tab"}} {
			r.press(keys...)
			r.pass(time.Second)
			r.shows("REPLAY", "14:01:00", "paused")
		}
		r.press("1", "P")
		r.shows("not available while a recording plays")
		r.press("d")
		r.lacks("root disk")
		r.press("ctrl+o")
		r.shows("read-only")
	})
}

func TestReplayJumps(t *testing.T) {
	replayed(t, func(r *rig, _ *replay.Player) {
		r.shows("available")
		r.press(")", ")")
		r.pass(time.Second)
		r.shows("wait call-back", "14:00:30")
		r.press("}", "}")
		r.pass(time.Second)
		r.shows("14:01:30")
		r.press("L")
		r.pass(time.Second)
		r.shows("Started ironic-agent.service")
		r.lacks("No suitable device")
		r.press(".")
		r.pass(150 * time.Second)
		r.shows("No suitable device", "ended")
		r.press("{", "{", "{")
		r.pass(2 * time.Second)
		r.shows("Executing deploy step", "14:02:3")
		r.lacks("No suitable device")
		r.press("2")
		r.lacks("deploy failed") // jumping back removes later events
		r.shows("wait call-back")
		r.press(">", ">", "<")
		r.shows("×2")
		r.press("#")
		r.pass(time.Second)
		r.press("enter")
		r.pass(time.Second)
		r.shows("14:00:0")
	})
}

func TestSpeeds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		now  float64
		by   int
		want float64
	}{
		"up": {1, 1, 2}, "down": {1, -1, 0.5}, "the fastest": {256, 1, 256}, "the slowest": {0.25, -1, 0.25},
		"another, up": {3, 1, 4}, "another, down": {3, -1, 2}, "beyond, up": {9999, 1, 256}, "beyond, down": {0.01, -1, 0.25},
	}
	for name, tt := range tests {
		if got := speedAfter(tt.now, tt.by); got != tt.want {
			t.Errorf("%s: after %g comes %g, want %g", name, tt.now, got, tt.want)
		}
	}
}
