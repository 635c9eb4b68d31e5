package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/screen"
	"ironworks/ui/task"
)

func TestConsoleWarnsOfInterruptedDeployments(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		stages []provision.Stage
		says   string
	}{
		"none":               {nil, ""},
		"nobody waited":      {[]provision.Stage{provision.StageSent}, ""},
		"one":                {[]provision.Stage{provision.StageSending}, "1 deployment was interrupted: n0 (:deploy-resume resumes)"},
		"more than a few":    {[]provision.Stage{"following", "following", "preparing", "giving back"}, "4 deployments were interrupted: n0 n1 n2 … (:deploy-resume resumes)"},
		"one that is waited": {[]provision.Stage{"sent", "following"}, "1 deployment was interrupted: n1 (:deploy-resume resumes)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				<-time.After(time.Until(now))
				dir := t.TempDir()
				for i, stage := range c.stages {
					uuid := fmt.Sprintf("7d5f1a2b-0d6e-4a43-9f2c-%012d", i)
					text := fmt.Sprintf(`{"format": 1, "node": {"uuid": %q, "name": "n%d"}, "stage": %q, "began": "2030-01-01T00:00:0%dZ", "at": "2030-01-01T00:00:00Z"}`, uuid, i, stage, i)
					if err := os.WriteFile(filepath.Join(dir, uuid+".json"), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				console := New(t.Context(), Options{Program: "ironworks"})
				s := &screen.Session{
					Options: []string{"--context", "lab"}, Checks: &provision.Preflighter{Deployments: &provision.Deployments{Dir: dir}},
				}
				said, _ := console.tasks.WarnInterrupted(s)().(screen.Say)
				if said.Text != c.says {
					t.Errorf("said %q, want %q", said.Text, c.says)
				}
				if console.tasks.WarnInterrupted(&screen.Session{}) != nil {
					t.Error("something is read although nothing is kept")
				}
			})
		})
	}
}

const interruptedUUID = "7d5f1a2b-0d6e-4a43-9f2c-000000000001"

// interrupted calls test with a console whose predecessor was killed while it followed a deployment of n1. disk is
// the root disk in the deployment's record, as JSON, or "null" for none.
func interrupted(t *testing.T, disk string, test func(r *rig)) {
	t.Helper()
	dir := t.TempDir()
	text := fmt.Sprintf(`{"format": 1, "node": {"uuid": %q, "name": "n1"}, "stage": "following", "began": "2000-01-01T00:00:00Z",
		"at": "2000-01-01T00:00:00Z", "instance_uuid": "i1", "from": "available", "root_disk": %s}`, interruptedUUID, disk)
	if err := os.WriteFile(filepath.Join(dir, interruptedUUID+".json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	n := models.Node{UUID: interruptedUUID, Name: "n1", ProvisionState: models.StateDeploying, InstanceUUID: "i1", PowerState: models.PowerOn}
	inBubble(t, []models.Node{n}, func(r *rig, o *Options) {
		o.Open = func(name string, ask func(string)) (*screen.Session, error) {
			s, err := r.open(name, ask)
			if err == nil {
				s.Checks.Deployments = &provision.Deployments{Dir: dir}
			}
			return s, err
		}
		r.ironic.nodes[0].due, r.ironic.nodes[0].then = time.Now().Add(20*time.Second), models.StateActive
		r.ironic.nodes[0].more = map[string]any{"extra": map[string]any{}}
	}, func(r *rig) {
		r.resize(200, 50)
		test(r)
	})
}

// fetched runs the command that Resume returns. It returns the command's message without delivering it to the
// console.
func (r *rig) fetched() tea.Msg {
	r.t.Helper()
	msg := r.c.tasks.Resume()()
	if _, is := msg.(task.Msg); !is {
		r.t.Fatalf("%+v", msg)
	}
	return msg
}

// TestReadOnlyModeRefusesAResume checks that interrupted deployments are not resumed if read-only mode is switched on
// after the resume was requested.
func TestReadOnlyModeRefusesAResume(t *testing.T) {
	for name, toggle := range map[string]func(r *rig){
		"while the nodes are fetched": func(r *rig) {
			msg := r.fetched()
			r.press("ctrl+o")
			r.deliver(msg)
		},
		"during the checks": func(r *rig) {
			_, cmd := r.c.Update(r.fetched())
			r.c.toggleReadOnly() // a key press would go to a dialog
			r.run(cmd)
		},
	} {
		t.Run(name, func(t *testing.T) {
			interrupted(t, `{"serial": "S1"}`, func(r *rig) {
				toggle(r)
				r.pass(time.Second)
				r.shows("read-only")
				r.answer("y", "enter")
				r.pass(time.Minute)
				r.sent()
				if len(r.c.env.Tasks.All()) != 0 {
					t.Error("a task was begun")
				}
			})
		})
	}
}

// TestReadOnlyModeRefusesAConfirmedAction checks that a confirmed action is not sent if read-only mode is switched on
// after the action was requested.
func TestReadOnlyModeRefusesAConfirmedAction(t *testing.T) {
	interrupted(t, "null", func(r *rig) {
		r.choose("n1")
		r.press(":")
		r.write("power-off")
		r.press("enter")
		r.answer()
		r.shows("power off n1?")
		r.c.toggleReadOnly() // a key press would go to the dialog
		r.press("y")
		r.pass(5 * time.Second)
		r.sent()
		r.shows("read-only")
	})
}

// TestResumeAsksBeforeItRecordsTheDisk checks that no confirmation is needed to follow a deployment that Ironic has
// already accepted, unless the root disk has to be recorded on the node when the deployment ends.
func TestResumeAsksBeforeItRecordsTheDisk(t *testing.T) {
	for name, c := range map[string]struct {
		disk  string
		keys  []string
		sent  []string
		tasks int
	}{
		"nothing to write": {"null", nil, nil, 1},
		"no":               {`{"serial": "S1"}`, []string{"n"}, nil, 0},
		"yes":              {`{"serial": "S1"}`, []string{"y"}, []string{"add /extra/console n1"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			interrupted(t, c.disk, func(r *rig) {
				r.deliver(r.fetched())
				r.pass(time.Second)
				if c.keys != nil {
					r.shows("extra/console", "Follow n1?")
					r.answer(c.keys...)
				}
				r.pass(time.Minute)
				r.sent(c.sent...)
				if n := len(r.c.env.Tasks.All()); n != c.tasks {
					t.Errorf("%d tasks, want %d", n, c.tasks)
				}
			})
		})
	}
}
