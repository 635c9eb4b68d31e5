package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
	"ironworks/viewstate"
)

// stored calls test with a console that stores its views in dir.
func stored(t *testing.T, dir string, test func(r *rig)) {
	t.Helper()
	inBubble(t, rack(), func(r *rig, _ *Options) { r.views = dir }, test)
}

func (r *rig) storedView(context string) viewstate.State {
	r.t.Helper()
	s, err := viewstate.Open(filepath.Join(r.views, context+".json")).Load()
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func TestViewSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stored(t, dir, func(r *rig) {
		r.press("w", "s")
		r.write("name")
		r.press("enter", "z")
		r.choose("r7-n05")
		r.press("space", "/")
		r.write("state:active,failed")
		r.press("enter")
		r.pass(5 * time.Second)
		if got := r.storedView("rack7"); *got.Sort != "-name" || *got.Filter != "state:active,failed" || !got.Wide || len(got.Marks) != 1 || got.Node != "" {
			t.Errorf("stored: %+v", got)
		}
	})
	stored(t, dir, func(r *rig) {
		r.shows("1 marked · 2 of 9", "/ state:active,failed", "NAME▾", "1 mark restored; - clears")
		if targets := r.c.history.front().Targets(); len(targets) != 1 || targets[0].Name != "r7-n05" {
			t.Errorf("targets: %v", targets)
		}
		r.press("esc", "esc", "s")
		r.write("state")
		r.press("enter", "w")
		r.pass(5 * time.Second)
		if got := r.storedView("rack7"); got.Sort != nil || got.Filter != nil || got.Wide || len(got.Marks) > 0 {
			t.Errorf("as configured: %+v", got)
		}
	})
}

func TestOpenTabSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stored(t, dir, func(r *rig) {
		r.choose("r7-n02")
		r.press("enter")
		r.tab("Raw")
		r.pass(5 * time.Second)
	})
	stored(t, dir, func(r *rig) {
		r.shows("› r7-n02", "[Raw]")
		r.press("esc")
		r.shows("› fleet")
		r.pass(5 * time.Second)
	})
	stored(t, dir, func(r *rig) {
		r.shows("› fleet")
		r.choose("r7-n03")
		r.press("enter")
		r.tab("BMC")
		r.pass(5 * time.Second)
	})
	stored(t, dir, func(r *rig) { // the BMC tab is not reopened, because that would query the BMC
		r.shows("› r7-n03", "[Overview]")
	})
	t.Run("the node no longer exists", func(t *testing.T) {
		inBubble(t, rack()[:2], func(r *rig, _ *Options) { r.views = dir }, func(r *rig) {
			r.shows("› fleet")
			r.lacks("r7-n03")
		})
	})
	t.Run("the operator is faster", func(t *testing.T) {
		k := viewKeeper{reopen: screentest.UUID(1)}
		stored(t, dir, func(r *rig) {
			r.press("1")
			r.c.live.views.reopen = k.reopen
			r.press("down")
			r.pass(3 * time.Second)
			r.shows("› fleet")
		})
	})
	t.Run("another action than a tab", func(t *testing.T) {
		writeView(t, dir, `{"node":"`+screentest.UUID(2)+`","tab":"undeploy"}`)
		stored(t, dir, func(r *rig) {
			r.shows("› r7-n02", "[Overview]")
			if len(r.c.overlays) > 0 {
				t.Error("a dialog is open")
			}
		})
	})
}

func writeView(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "rack7.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestGroupByName checks that :group FIELD groups the nodes, that the groups survive a restart, and that :group alone
// ends grouping.
func TestGroupByName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stored(t, dir, func(r *rig) {
		r.press("2", ":")
		r.write("group owner")
		r.press("enter")
		r.shows("› fleet", "▾ team-blue  1 node", "▾ no owner  8 nodes")
		r.press("home", "enter")
		r.shows("▸ team-blue  1 node")
		r.pass(5 * time.Second)
	})
	stored(t, dir, func(r *rig) {
		r.shows("▸ team-blue  1 node", "▾ no owner  8 nodes")
		r.press(":")
		r.write("group")
		r.press("enter")
		r.lacks("team-blue  1 node", "no owner")
		r.press("b")
		r.shows("Group by")
		r.press("enter")
		r.shows("▾ deploy failed  1 node", "▾ enroll  2 nodes")
		r.press("b")
		r.lacks("enroll  2 nodes")
	})
}

func TestViewsOfContextsAreApart(t *testing.T) {
	t.Parallel()
	stored(t, t.TempDir(), func(r *rig) {
		r.press("space")
		r.deliver(screen.Switch{Context: "lab"}) // switching stores what has just changed
		r.settle()
		r.lacks("marked")
		r.press("w")
		r.pass(5 * time.Second)
		if rack7, lab := r.storedView("rack7"), r.storedView("lab"); len(rack7.Marks) != 1 || rack7.Wide || len(lab.Marks) > 0 || !lab.Wide {
			t.Errorf("%+v, %+v", rack7, lab)
		}
		r.deliver(screen.Switch{Context: "rack7"})
		r.settle()
		r.shows("1 marked")
	})
}

func TestMarksOfGoneNodesAreDropped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeView(t, dir, `{"marks":["`+screentest.UUID(1)+`","gone","`+screentest.UUID(1)+`"]}`)
	stored(t, dir, func(r *rig) {
		r.pass(time.Second)
		r.shows("1 marked")
		r.pass(5 * time.Second)
		if got := r.storedView("rack7").Marks; !slices.Equal(got, []string{screentest.UUID(1)}) {
			t.Errorf("marks: %v", got)
		}
	})
}

func TestBrokenViewsAreIgnored(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"sort":`:                "ignored: unexpected end of JSON input",
		`{"filter":"colour:red"}`: `stored filter "colour:red" ignored: `,
		`{"sort":"no-such"}`:      "",
	} {
		dir := t.TempDir()
		writeView(t, dir, text)
		stored(t, dir, func(r *rig) {
			if !strings.Contains(strings.Join(strings.Fields(r.text()), " "), want) {
				t.Errorf("%s: no %q in\n%s", text, want, r.text())
			}
			r.shows("r7-n01", " 9 nodes\n")
		})
	}
}

func TestUnwritableViewIsReportedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "rack7.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	stored(t, dir, func(r *rig) {
		for range 3 {
			r.press("w")
			r.pass(5 * time.Second)
		}
		n := 0
		for _, said := range r.c.toasts.history {
			if strings.HasPrefix(said.text, "view not saved: ") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d reports in %v", n, r.c.toasts.history)
		}
	})
}

// TestIdleViewIsNotWritten checks that only changes are written to disk, and only after the operator has paused for a
// moment.
func TestIdleViewIsNotWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exists := func() bool {
		_, err := os.Stat(filepath.Join(dir, "rack7.json"))
		return err == nil
	}
	stored(t, dir, func(r *rig) {
		r.pass(20 * time.Second)
		if exists() {
			t.Error("written without a change")
		}
		for range 5 {
			r.press("z")
			r.pass(time.Second)
			if exists() {
				t.Error("written at once")
			}
		}
		r.pass(5 * time.Second)
		if !exists() {
			t.Error("not written")
		}
	})
}

func TestPaletteFiltersAndSortsFromEveryScreen(t *testing.T) {
	t.Parallel()
	inBubble(t, rack(), nil, func(r *rig) {
		r.press("2", ":")
		r.write("class:gp-2x")
		r.press("enter")
		r.shows("› fleet", "/ class:gp-2x", "2 of 9")
		r.press(":")
		r.write("state:failed")
		r.press("enter")
		r.shows("/ state:failed", "1 of 9")
		r.press("4", ":")
		r.write("sort name")
		r.press("enter")
		r.shows("› fleet", "NAME▴")
	})
}

// TestInputOfFormsSurvivesARestart checks that the up key recalls input from before a restart, but that input that
// may be secret is not stored.
func TestInputOfFormsSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stored(t, dir, func(r *rig) {
		for node, text := range map[string]string{
			"r7-n05": "broken fan", "r7-n02": "https://u:pass@logs.example/1",
			"r7-n03": "https://logs.example/2?sig=abc", "r7-n01": strings.Repeat("x", maxEntered+1),
		} {
			r.choose(node)
			r.press("m")
			r.shows("Reason")
			r.write(text)
			r.press("enter", "esc")
		}
		r.pass(5 * time.Second)
		var all []string
		for _, texts := range r.storedView("rack7").Entered {
			all = append(all, texts...)
		}
		if !slices.Equal(all, []string{"broken fan"}) {
			t.Errorf("stored: %q", all)
		}
	})
	stored(t, dir, func(r *rig) {
		r.choose("r7-n05")
		r.press("m", "up")
		r.shows("broken fan")
	})
}
