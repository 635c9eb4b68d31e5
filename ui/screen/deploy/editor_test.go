package deploy_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
)

// writes simulates an editor: it receives the content of a file and returns the new content.
type writes func(was string) (now string, err error)

// withEditor opens the wizard. Files for the editor are created in the test's temporary folder.
func withEditor(t *testing.T, nodes ...models.Node) *table {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	return opened(t, nodes...)
}

func leaves(text string) writes { return func(string) (string, error) { return text, nil } }

// edits runs the editor on the file named in the screen's EditFile message.
func (w *table) edits(editor writes) {
	w.t.Helper()
	for _, msg := range w.wishes {
		ask, is := msg.(screen.EditFile)
		if !is {
			continue
		}
		was := text(w.t, ask.Path)
		now, err := editor(was)
		if now != was {
			if err := os.WriteFile(ask.Path, []byte(now), 0o600); err != nil {
				w.t.Fatal(err)
			}
		}
		w.wishes = w.Do(w.s, screen.Send(ask.Done(err)))
		if _, err := os.Stat(filepath.Dir(ask.Path)); !errors.Is(err, os.ErrNotExist) {
			w.t.Errorf("what the editor wrote on is still there: %v", err)
		}
		return
	}
	w.t.Fatalf("no editor is asked for: %v", w.wishes)
}

func TestEditorGetsTheWholePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := withEditor(t, machine(t, 1, "r7-n01", `{"traits": ["CUSTOM_WIPE"]}`))
		w.do(action.PlanEdit)
		const whole = `# by hand
nodes: [r7-n01]
traits: [CUSTOM_WIPE] # wiped before
configdrive:
  network_data: {links: []}
  meta_data: {role: db}
policy: {single-disk: refuse}
allocate: true
`
		w.edits(func(was string) (string, error) {
			if was != "nodes:\n  - r7-n01\n" {
				t.Errorf("the editor begins with %q", was)
			}
			return whole, nil
		})
		if w.plan() != whole || !strings.Contains(said(w.wishes), "plan updated") {
			t.Errorf("%q\n%s", said(w.wishes), w.plan())
		}
		w.page(1)
		w.shows("By             allocation")
		w.page(3)
		w.shows("Instance traits: CUSTOM_WIPE")
		// Comments survive changes on the pages.
		w.page(2)
		w.do(action.Open)
		for _, want := range []string{"# by hand", "# wiped before", "wwn:", "network_data: {links: []}", "single-disk: refuse"} {
			if !strings.Contains(w.plan(), want) {
				t.Errorf("no %q in\n%s", want, w.plan())
			}
		}
	})
}

func TestRejectedEditIsOfferedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := withEditor(t, machine(t, 1, "r7-n01", ""))
		before := w.plan()
		w.do(action.PlanEdit)
		w.edits(leaves("nodes: [r7-n01]\nkinds: direct\n"))
		if shown := w.dialog().Draw(themed(), 90, 20); !strings.Contains(shown, `2:1: unknown key "kinds"`) || w.plan() != before {
			t.Errorf("%s\n%s", shown, w.plan())
		}
		done, cmd := w.dialog().Update(screentest.Press("Y"))
		if !done {
			t.Fatal("it is not given back")
		}
		w.wishes = w.Do(w.s, cmd)
		w.edits(func(was string) (string, error) {
			if !strings.Contains(was, "kinds: direct") {
				t.Errorf("the editor begins with %q", was)
			}
			return strings.Replace(was, "kinds", "kind", 1), nil
		})
		if !strings.Contains(w.plan(), "kind: direct") {
			t.Errorf("%s", w.plan())
		}
		// An edit that changes nothing leaves the plan unchanged.
		w.do(action.PlanEdit)
		w.edits(func(was string) (string, error) { return was, nil })
		if said(w.wishes) != "plan unchanged" {
			t.Errorf("%q", said(w.wishes))
		}
	})
}

// TestRejectedEditIsKept checks that a rejected edit can be continued in the next edit, or dropped.
func TestRejectedEditIsKept(t *testing.T) {
	for name, c := range map[string]struct{ pick, begins string }{
		"gone on with": {"up", "kinds: direct\n"}, "dropped": {"down", "nodes:\n  - r7-n01\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := withEditor(t, machine(t, 1, "r7-n01", ""))
				w.do(action.PlanEdit)
				w.edits(leaves("kinds: direct\n"))
				w.do(action.NextTab, action.PlanEdit)
				o := w.dialog()
				o.Update(screentest.Press(c.pick))
				_, cmd := o.Update(screentest.Press("enter"))
				w.wishes = w.Do(w.s, cmd)
				w.edits(func(was string) (string, error) {
					if was != c.begins {
						t.Errorf("the editor begins with %q", was)
					}
					return "nodes: [r7-n01]\nkind: direct\n", nil
				})
				if !strings.Contains(w.plan(), "kind: direct") {
					t.Errorf("%s", w.plan())
				}
			})
		})
	}
}

func TestEditorFails(t *testing.T) {
	gone := errors.New("$EDITOR names ed, which cannot be started")
	for name, c := range map[string]struct {
		editor writes
		says   string
		kept   bool
	}{
		"it is missing":      {func(was string) (string, error) { return was, gone }, gone.Error() + "; plan unchanged", false},
		"after it had saved": {func(string) (string, error) { return "kind: direct\n", errors.New("exit status 1") }, "Y continues the edit", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := withEditor(t, machine(t, 1, "r7-n01", ""))
				before := w.plan()
				w.do(action.PlanEdit)
				w.edits(c.editor)
				if !strings.Contains(said(w.wishes), c.says) || w.plan() != before {
					t.Errorf("%q\n%s", said(w.wishes), w.plan())
				}
				w.do(action.PlanEdit)
				asks := false
				for _, msg := range w.wishes {
					_, is := msg.(screen.Ask)
					asks = asks || is
				}
				if asks != c.kept {
					t.Errorf("asks whether to go on: %v", asks)
				}
			})
		})
	}
}

// TestEditedPlanKeepsItsFolder checks that relative paths in an edited plan are still resolved against the plan's
// folder. It also checks that the plan's defaults apply to selected nodes that were removed from the plan.
func TestEditedPlanKeepsItsFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := written(t, map[string]string{"plan.yaml": "nodes: [r7-n01, r7-n09]\nconfigdrive: {user_data_file: host.bu}\n", "host.bu": text(t, "testdata/host.bu")})
		w := withEditor(t, machine(t, 1, "r7-n01", ""))
		w.do(action.PlanLoad)
		w.answer(filepath.Join(dir, "plan.yaml"))
		w.do(action.PlanEdit)
		w.edits(leaves("nodes: [r7-n09]\nconfigdrive: {user_data_file: host.bu}\n"))
		if want := ": 1 node not in the plan: plan defaults apply; 1 other node in the plan ignored"; !strings.Contains(said(w.wishes), want) {
			t.Errorf("%q", said(w.wishes))
		}
		w.page(4)
		w.shows("hello.service")
		if c := w.s.Copies(); !strings.Contains(c[1].Text, "-f PLAN.yaml") && !strings.Contains(c[1].Text, "--user-data") {
			t.Errorf("the file is not what is here, but the command is %s", c[1].Text)
		}
	})
}

// TestNoEditor checks that without an editor, editing the plan is disabled and the reason names a command to use
// instead.
func TestNoEditor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := withEditor(t, machine(t, 1, "r7-n01", ""))
		if why := w.s.DisabledReason(action.PlanEdit); why != "" {
			t.Errorf("with an editor: %q", why)
		}
		w.Env.WhyNoEditor, w.Env.Program = "no editor over SSH", "ssh HOST"
		if why := w.s.DisabledReason(action.PlanEdit); why != "no editor over SSH; use: ssh HOST deploy -f - NODE < plan.yaml" {
			t.Errorf("without: %q", why)
		}
	})
}
