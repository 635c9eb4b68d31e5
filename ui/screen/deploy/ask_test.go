package deploy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen/screentest"
)

const commented = `# rack 7
nodes:
  - r7-n01 # the first
  - name: r7-n02
    root_device: {hints: {serial: N1A1}}
# the disks are all alike
root_device:
  hints: {size: ">= 400"} # GiB
configdrive:
  user_data_file: host.bu
`

// written writes the given files to a new folder and returns the folder's path.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func text(tb testing.TB, path string) string {
	tb.Helper()
	data, err := os.ReadFile(path) //nolint:gosec // the test's own file
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

func TestLoadChangeAndSaveKeepsComments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		butane := text(t, "testdata/host.bu")
		dir := written(t, map[string]string{"plan.yaml": commented, "host.bu": butane})
		plan := filepath.Join(dir, "plan.yaml")
		w := opened(t, machine(t, 1, "r7-n01", ""), machine(t, 2, "r7-n02", ""))
		w.do(action.PlanLoad)
		w.answer(plan)
		if want := "loaded " + plan; said(w.wishes) != want {
			t.Errorf("%q", said(w.wishes))
		}
		w.page(4)
		w.shows("host.bu", "hello.service")
		w.page(2)
		w.do(action.Down, action.Open)
		w.do(action.PlanSave)
		w.answer()
		want := strings.Replace(commented, "  - r7-n01 # the first\n", "  - name: r7-n01\n    root_device:\n      hints:\n        wwn: 0x5002538en0a1\n", 1)
		if got := text(t, plan); !strings.Contains(got, "# rack 7\n") || !strings.Contains(got, "# the disks are all alike") ||
			!strings.Contains(got, "# GiB") || !strings.Contains(got, "wwn: 0x5002538en0a1") {
			t.Errorf("%s\nwant about\n%s", got, want)
		}
		// The deploy command reads the same plan.
		file, err := provision.ReadPlan(plan)
		if err != nil {
			t.Fatal(err)
		}
		for i, disk := range []string{`{"wwn":"0x5002538en0a1"}`, `{"serial":"N1A1"}`} {
			d, err := file.DeploymentOf(&w.API.Nodes[i])
			if err != nil || string(d.UserData) != butane || d.Fields.RootDevice.Hints.String() != disk {
				t.Errorf("%s: %s, %d bytes, %v", w.API.Nodes[i].Name, d.Fields.RootDevice.Hints, len(d.UserData), err)
			}
		}
		if c := w.s.Copies(); c[1].Name != "command" || c[1].Text != "ironworks deploy r7-n01 r7-n02 -f "+plan {
			t.Errorf("%+v", c[1])
		}
	})
}

func TestSaveInAnotherFolderAdaptsPaths(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.page(4)
		w.write("testdata/host.bu")
		plan := filepath.Join(t.TempDir(), "plan.yaml")
		w.do(action.PlanSave)
		w.answer(plan)
		file, err := provision.ReadPlan(plan)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := file.DeploymentOf(&w.API.Nodes[0]); err != nil || string(d.UserData) != text(t, "testdata/host.bu") {
			t.Errorf("%v, %d bytes", err, len(d.UserData))
		}
		w.shows("hello.service", "✓ 3 passed")
		// An existing file is replaced only if Replace is set.
		other := opened(t, machine(t, 1, "r7-n01", ""))
		other.do(action.PlanSave)
		other.answer(plan)
		if !strings.Contains(said(other.wishes), "exists; set Replace to overwrite it") {
			t.Errorf("%q", said(other.wishes))
		}
		other.do(action.PlanSave)
		other.answer(plan, "+")
		if got := text(t, plan); got != "nodes:\n  - r7-n01\n" {
			t.Errorf("%q", got)
		}
	})
}

func TestSaveDuringInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.page(4)
		w.do(action.EditField)
		w.Deliver(w.s, tea.PasteMsg{Content: "testdata/host.bu"})
		w.wishes = w.Deliver(w.s, tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl})
		if w.s.Typing() || !strings.Contains(w.plan(), "user_data_file: testdata/host.bu") {
			t.Errorf("%s", w.plan())
		}
		w.dialog()
	})
}

func TestLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := written(t, map[string]string{
			"broken.yaml": "nodes: [r7-n01]\nwhat: 1\n", "others.yaml": "nodes: [r7-n05, r7-n06]\nkind: direct\n", "uuid.yaml": "nodes: [" + screentest.UUID(1) + "]\n",
		})
		for file, says := range map[string]string{
			"broken.yaml": "2:1", "nowhere.yaml": "no such file", "uuid.yaml": "loaded",
			"others.yaml": ": 1 node not in the plan: plan defaults apply; 2 other nodes in the plan ignored",
		} {
			w := opened(t, machine(t, 1, "r7-n01", ""))
			w.do(action.PlanLoad)
			w.answer(filepath.Join(dir, file))
			if !strings.Contains(said(w.wishes), says) {
				t.Errorf("%s: %q", file, said(w.wishes))
			}
		}
	})
}

// TestOtherNodesOfALoadedPlanStayUnchanged checks that changes for the selected nodes do not affect the other nodes
// of the plan.
func TestOtherNodesOfALoadedPlanStayUnchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := written(t, map[string]string{"plan.yaml": "nodes: [r7-n01, r7-n02]\nramdisk: {iso: http://a}\n"})
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.do(action.PlanLoad)
		w.answer(filepath.Join(dir, "plan.yaml"))
		w.page(1)
		w.do(action.Top, action.Down, action.Down, action.ResetField)
		w.write("http://b")
		plan, err := plan.Decode([]byte(w.plan()))
		if err != nil {
			t.Fatal(err)
		}
		if a, b := plan.For("r7-n02").Ramdisk.ISO, plan.For("r7-n01").Ramdisk.ISO; a != "http://a" || b != "http://b" {
			t.Errorf("%q, %q\n%s", a, b, w.plan())
		}
	})
}
