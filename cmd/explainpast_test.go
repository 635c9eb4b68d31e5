package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"ironworks/agentlog"
	"ironworks/fleet"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/replay"
	"ironworks/ui/screen"
)

// TestExplainRecording explains a recording by what it has of the moment that is shown: the
// reason that was seen, and else the log. Nobody is asked.
func TestExplainRecording(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reason, line string
		rule         explain.RuleID
	}{
		"by the reason":  {"Checksum file does not contain name x", "", "checksum-file"},
		"by the log":     {"", "No suitable device was found for deployment using these hints {}", "no-hinted-device"},
		"by neither one": {"The goat ate the cable", "Started ironic-agent.service", explain.RuleUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)
			node := models.NodeRef{UUID: pastUUID, Name: "r7-n01"}
			rec := &replay.Recording{Header: replay.Header{Context: "x", API: "1.115", Nodes: []models.NodeRef{node}}}
			was := models.StateAvailable
			picture := func(at time.Duration, state models.ProvisionState, reason string) {
				if state != was {
					rec.Events = append(rec.Events, models.Event{
						Time: began.Add(at), Node: node, Kind: models.EventProvisionState, From: string(was), To: string(state), Reason: reason,
					})
				}
				was = state
				rec.Pictures = append(rec.Pictures, models.Picture{At: began.Add(at), Node: models.Node{
					UUID: node.UUID, Name: node.Name, ProvisionState: state, TargetProvisionState: models.StateActive, LastError: reason, Internal: &models.Internal{},
				}})
			}
			picture(0, models.StateAvailable, "")
			picture(10*time.Second, models.StateDeployWait, "")
			if tt.line != "" {
				at := began.Add(time.Minute)
				rec.Lines = append(rec.Lines, agentlog.Harmless(models.LogLine{
					Time: at, Received: at, Node: node, Source: models.LogSSH, Boot: "b", Unit: "ironic-agent", Level: models.LogError, Text: tt.line,
				}))
			}
			picture(4*time.Minute, models.StateDeployFailed, tt.reason)
			player, err := replay.New(rec, clock{}, 1)
			if err != nil {
				t.Fatal(err)
			}
			player.Pause(true)
			player.Seek(began.Add(4 * time.Minute))
			ctx, cancel := context.WithCancel(t.Context())
			shown, ended := make(chan struct{}, 100), make(chan struct{})
			s := replaySession(screen.Context{Name: "x"}, player)
			go func() {
				defer close(ended)
				_ = s.Poll(ctx, func(fleet.Update) { shown <- struct{}{} })
			}()
			for row := (models.Row{}); row.Node.ProvisionState != models.StateDeployFailed; row, _, _ = s.Store.Get(node.UUID) {
				<-shown
			}
			cancel()
			<-ended
			found, err := s.Explain(t.Context(), node.UUID, nil)
			if err != nil {
				t.Fatal(err)
			}
			if best := found.Explanations[0]; best.Rule != tt.rule || len(found.Missing) == 0 {
				t.Errorf("%s (%s), want %s; missing %v", best.Rule, best.Verdict, tt.rule, found.Missing)
			}
		})
	}
}

func TestWatchedWork(t *testing.T) {
	t.Parallel()
	kept := []models.Work{{Node: models.NodeRef{UUID: pastUUID}, Kind: models.StateDeploying, Begin: time.Unix(1_700_000_000, 0)}}
	if got := watchedWork(kept, fleet.NewStore(), pastUUID); got != &kept[0] {
		t.Errorf("a store that does not know the node has %+v", got)
	}
	if got := watchedWork(nil, fleet.NewStore(), pastUUID); got != nil {
		t.Errorf("nobody saw anything, but %+v", got)
	}
}

// TestPastOfABoot reads the log of the last boot when the beginning of the work is unknown. With
// a wrong clock on the machine, the time of arrival counts.
func TestPastOfABoot(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)
	node := models.NodeRef{UUID: pastUUID, Name: "r7-n01"}
	for name, wrong := range map[string]time.Duration{"the clock is right": 0, "the clock is at 1970": -time.Duration(now.Unix()) * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := journal.Options{Path: filepath.Join(t.TempDir(), "j.db"), Clock: clock{}, Now: func() time.Time { return now }}
			kept := journal.Open(t.Context(), options)
			var lines []models.LogLine
			for i, l := range []struct{ boot, unit, text string }{
				{"b1", "kernel", "Linux version 6"},
				{"b1", "coreos-installer", "1: HTTP status client error (404 Not Found) for url (http://x/y)"},
				{"b2", "kernel", "Linux version 6"},
				{"b2", "ironic-agent", "Trying to pull x..."},
			} {
				at := now.Add(time.Duration(i-20) * time.Second)
				lines = append(lines, agentlog.Harmless(models.LogLine{
					Time: at.Add(wrong), Received: at, Node: node, Source: models.LogPush, Boot: l.boot, Cursor: fmt.Sprint(i), Unit: l.unit, Text: l.text,
				}))
			}
			kept.Note(journal.Records{Lines: lines})
			kept.Close()
			kept = journal.Open(t.Context(), options)
			defer kept.Close()
			past, err := keptPast(t.Context(), kept, models.NewExperience(nil), &models.Node{UUID: node.UUID, ProvisionState: models.StateDeployWait}, now)
			if err != nil || past.Boot == nil || past.Boot.ID != "b2" || past.Boot.Stage != models.RamdiskImage {
				t.Fatalf("%+v, %v", past.Boot, err)
			}
			if len(past.Lines) != 1 || past.Lines[0].Boot != "b2" {
				t.Errorf("lines %+v", past.Lines)
			}
			if past, err := keptPast(t.Context(), kept, models.NewExperience(nil), &models.Node{UUID: node.UUID, ProvisionState: models.StateActive}, now); err != nil || past.Boot != nil {
				t.Errorf("a node without work has the past %+v, %v", past.Boot, err)
			}
		})
	}
}
