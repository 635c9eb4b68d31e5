package deploy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models/plan"
	"ironworks/ui/action"
	"ironworks/ui/screen"
)

// TestFailedSaveKeepsThePlan checks that a failure to save the plan is shown and leaves the plan unchanged.
func TestFailedSaveKeepsThePlan(t *testing.T) {
	dir := written(t, map[string]string{"there.yaml": "nodes: [r7-n09]\n"})
	for name, c := range map[string]struct{ file, says string }{
		"it is there already":       {"there.yaml", "exists; set Replace to overwrite it"},
		"no such file or directory": {"nowhere/plan.yaml", "no such file or directory"},
		"its folder is none":        {"there.yaml/plan.yaml", "not a directory"},
		"it is a folder":            {".", ""},
		"nobody may write there":    {"/proc/plan.yaml", ""},
		"its name is far too long":  {strings.Repeat("x", 300), "file name too long"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := opened(t, machine(t, 1, "r7-n01", ""))
				w.page(2)
				w.do(action.Open)
				before := w.plan()
				path := c.file
				if !filepath.IsAbs(path) {
					path = filepath.Join(dir, path)
				}
				w.do(action.PlanSave)
				w.answer(path)
				if got := said(w.wishes); !strings.HasPrefix(got, "save: ") || !strings.Contains(got, c.says) {
					t.Errorf("%q", got)
				}
				if w.plan() != before {
					t.Errorf("%s\nwas\n%s", w.plan(), before)
				}
				if c := w.s.Copies(); strings.Contains(c[1].Text, "-f ") {
					t.Errorf("the command reads a file that there is not: %s", c[1].Text)
				}
				if got := text(t, filepath.Join(dir, "there.yaml")); got != "nodes: [r7-n09]\n" {
					t.Errorf("what was there is %q now", got)
				}
			})
		})
	}
}

// TestRemovedUserDataFile checks that a removed user data file is reported on the Review and First boot pages, and
// that it is found again when it is restored.
func TestRemovedUserDataFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		butane := text(t, "testdata/host.bu")
		dir := written(t, map[string]string{"host.bu": butane})
		path := filepath.Join(dir, "host.bu")
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.page(2)
		w.do(action.Open)
		w.page(4)
		w.write(path)
		w.shows("[✓ First boot]", "hello.service")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		w.page(5)
		w.shows("✖ First boot", "✖ Not deployed: r7-n01: configdrive.user_data_file: ", "no such")
		if why := w.s.DisabledReason(action.DeployGo); !strings.Contains(why, "no such file") {
			t.Errorf("%q", why)
		}
		w.do(action.DeployNext)
		w.shows("[✖ First boot]", "user data cannot be read", "no such file or directory", path)
		if err := os.WriteFile(path, []byte(butane), 0o600); err != nil {
			t.Fatal(err)
		}
		w.Deliver(w.s, w.Pass(time.Second))
		w.shows("hello.service")
		w.Deliver(w.s, screen.Reload{})
		w.page(5)
		w.shows("✓ First boot")
		if why := w.s.DisabledReason(action.DeployGo); why != "" {
			t.Errorf("%q", why)
		}
	})
}

// TestLoadedPlanOfOtherNodes checks that the defaults of a loaded plan apply to selected nodes that the plan does not
// name. It also checks that changes to these nodes leave the plan's other nodes unchanged.
func TestLoadedPlanOfOtherNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const deployPlan = `# rack 7
nodes:
  - {name: r7-n08, root_device: {hints: {serial: OWN}}, traits: [CUSTOM_OWN], allocate: false}
  - {name: r7-n02, root_device: {hints: {serial: N1A1}}}
allocate: true
root_device: {hints: {size: 447}}
`
		dir := written(t, map[string]string{"plan.yaml": deployPlan})
		w := wiping(t, machine(t, 1, "r7-n01", `{"traits": ["CUSTOM_WIPE"]}`), machine(t, 2, "r7-n02", `{"traits": ["CUSTOM_WIPE"]}`))
		w.do(action.PlanLoad)
		w.answer(filepath.Join(dir, "plan.yaml"))
		if want := ": 1 node not in the plan: plan defaults apply; 1 other node in the plan ignored"; !strings.Contains(said(w.wishes), want) {
			t.Errorf("%q", said(w.wishes))
		}
		w.page(2)
		w.shows("< 1 > r7-n01", `instance_info: {"size":447}`)
		w.do(action.DeployNodeNext)
		w.shows("< 2 > r7-n02", `instance_info: {"serial":"N1A1"}`)
		w.page(3)
		w.do(action.StepTraits)
		w.answer("+")
		w.page(1)
		w.do(action.Bottom, action.Up, action.Up, action.ScrollLeft)
		got, err := plan.Decode([]byte(w.plan()))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			node, hints, traits string
			allocated           bool
		}{
			{"r7-n08", `{"serial":"OWN"}`, "CUSTOM_OWN", false},
			{"r7-n02", `{"serial":"N1A1"}`, "CUSTOM_WIPE", false},
			{"r7-n01", `{"size":447}`, "CUSTOM_WIPE", false},
			{"r7-n09", `{"size":447}`, "", true},
		} {
			f := got.For(c.node)
			if f.RootDevice.Hints.String() != c.hints || strings.Join(f.Traits, " ") != c.traits || f.Allocate.Asked() != c.allocated {
				t.Errorf("%s: %s, traits %q, allocation %v\n%s", c.node, f.RootDevice.Hints, f.Traits, f.Allocate.Asked(), w.plan())
			}
		}
		if !strings.HasPrefix(w.plan(), "# rack 7\n") {
			t.Errorf("%s", w.plan())
		}
	})
}
