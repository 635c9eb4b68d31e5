package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ironworks/provision"
	"ironworks/ui/screen"
)

type stoppedClock struct{ time.Time }

func (c stoppedClock) Now() time.Time                     { return c.Time }
func (stoppedClock) After(time.Duration) <-chan time.Time { return nil }

func TestInterruptedDeploymentsAreTold(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		stages []provision.Stage
		says   string
	}{
		"none":               {nil, ""},
		"nobody waited":      {[]provision.Stage{provision.StageSent}, ""},
		"one":                {[]provision.Stage{provision.StageSending}, "1 deployment was interrupted: n0 (:deploy-resume goes on)"},
		"more than a few":    {[]provision.Stage{"following", "following", "preparing", "giving back"}, "4 deployments were interrupted: n0 n1 n2 … (:deploy-resume goes on)"},
		"one that is waited": {[]provision.Stage{"sent", "following"}, "1 deployment was interrupted: n1 (:deploy-resume goes on)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for i, stage := range c.stages {
				uuid := fmt.Sprintf("7d5f1a2b-0d6e-4a43-9f2c-%012d", i)
				text := fmt.Sprintf(`{"format": 1, "node": {"uuid": %q, "name": "n%d"}, "stage": %q, "began": "2030-01-01T00:00:0%dZ", "at": "2030-01-01T00:00:00Z"}`, uuid, i, stage, i)
				if err := os.WriteFile(filepath.Join(dir, uuid+".json"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			console := &Console{opts: Options{Clock: stoppedClock{now}, Program: "ironworks"}}
			s := &screen.Session{
				Options: []string{"--context", "lab"}, Checks: &provision.Preflighter{Deployments: &provision.Deployments{Dir: dir}},
			}
			said, _ := console.tellUnfinished(s)().(screen.Say)
			if said.Text != c.says {
				t.Errorf("said %q, want %q", said.Text, c.says)
			}
			if console.tellUnfinished(&screen.Session{}) != nil {
				t.Error("something is read although nothing is kept")
			}
		})
	}
}
