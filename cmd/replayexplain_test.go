package cmd

import (
	"context"
	"testing"
	"time"

	"ironworks/agentlog"
	"ironworks/fleet"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/replay"
	"ironworks/ui/screen"
)

// TestExplainRecording checks that an explanation for a moment in a recording uses only recorded data. The
// explanation is based on the reason for the failure or, if there is none, on the log.
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
				rec.Lines = append(rec.Lines, agentlog.Sanitize(models.LogLine{
					Time: at, Received: at, Node: node, Source: models.LogSSH, Boot: "b", Unit: "ironic-agent", Level: models.LogError, Text: tt.line,
				}))
			}
			picture(4*time.Minute, models.StateDeployFailed, tt.reason)
			player, err := replay.New(rec, 1)
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
				_ = s.Run(ctx, func(fleet.Update) { shown <- struct{}{} })
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
