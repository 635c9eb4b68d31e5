package session

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/agentlog"
	"ironworks/fleet"
	"ironworks/journal"
	"ironworks/models"
)

const pastUUID = "11111111-0000-4000-8000-000000000001"

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

// TestFactsOfTheLastBoot checks that the log of the last boot is read if the start of the operation is unknown, and
// that the time of receipt counts if the machine's clock is wrong.
func TestFactsOfTheLastBoot(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)
	node := models.NodeRef{UUID: pastUUID, Name: "r7-n01"}
	for name, wrong := range map[string]time.Duration{"the clock is right": 0, "the clock is at 1970": -time.Duration(now.Unix()) * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				<-time.After(time.Until(now))
				options := journal.Options{Path: filepath.Join(t.TempDir(), "j.db")}
				kept := journal.Open(t.Context(), options)
				var lines []models.LogLine
				for i, l := range []struct{ boot, unit, text string }{
					{"b1", "kernel", "Linux version 6"},
					{"b1", "coreos-installer", "1: HTTP status client error (404 Not Found) for url (http://x/y)"},
					{"b2", "kernel", "Linux version 6"},
					{"b2", "ironic-agent", "Trying to pull x..."},
				} {
					at := now.Add(time.Duration(i-20) * time.Second)
					lines = append(lines, agentlog.Sanitize(models.LogLine{
						Time: at.Add(wrong), Received: at, Node: node, Source: models.LogPush, Boot: l.boot, Cursor: fmt.Sprint(i), Unit: l.unit, Text: l.text,
					}))
				}
				kept.Record(journal.Records{Lines: lines})
				kept.Close()
				kept = journal.Open(t.Context(), options)
				defer kept.Close()
				past, err := recordedFacts(t.Context(), kept, models.NewExperience(nil), &models.Node{UUID: node.UUID, ProvisionState: models.StateDeployWait}, now)
				if err != nil || past.Boot == nil || past.Boot.ID != "b2" || past.Boot.Stage != models.RamdiskImage {
					t.Fatalf("%+v, %v", past.Boot, err)
				}
				if len(past.Lines) != 1 || past.Lines[0].Boot != "b2" {
					t.Errorf("lines %+v", past.Lines)
				}
				if past, err := recordedFacts(t.Context(), kept, models.NewExperience(nil), &models.Node{UUID: node.UUID, ProvisionState: models.StateActive}, now); err != nil || past.Boot != nil {
					t.Errorf("a node without work has the past %+v, %v", past.Boot, err)
				}
			})
		})
	}
}
