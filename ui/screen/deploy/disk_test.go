package deploy_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"ironworks/models/plan"
	"ironworks/ui/action"
	"ironworks/ui/screen/deploy"
	"ironworks/ui/screen/screentest"
)

func TestPickWritesTheMostStableHint(t *testing.T) {
	bare := func(name, rest string) string {
		return fmt.Sprintf(`{"name": %q, "size": 480103981056, "model": "M"%s}`, name, rest)
	}
	for name, test := range map[string]struct {
		disks string
		down  int
		hint  string
		says  string
	}{
		"wwn":             {threeDisks(), 1, "wwn: 0x5002538es1a1", ""},
		"serial":          {inventory(bare("/dev/sda", `, "serial": "A"`), bare("/dev/sdb", `, "serial": "B"`)), 1, "serial: B", ""},
		"wwn of several":  {inventory(bare("/dev/sda", `, "serial": "A", "wwn": "0x1"`), bare("/dev/sdb", `, "serial": "B", "wwn": "0x1"`)), 0, "serial: A", ""},
		"names and sizes": {inventory(`{"name": "sda", "size": 480103981056}`, `{"name": "sdb", "size": 480103981056}`), 0, "", "no stable hint identifies sda"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := set(t, machine(t, 1, "r7-n01", ""))
				w.ironic.disks[screentest.UUID(1)] = test.disks
				w.open()
				w.page(2)
				for range test.down {
					w.do(action.Down)
				}
				wishes := w.do(action.Open)
				if !strings.Contains(w.plan(), test.hint) || test.hint == "" && strings.Contains(w.plan(), "root_device") {
					t.Errorf("no %q in\n%s", test.hint, w.plan())
				}
				if !strings.Contains(said(wishes), test.says) {
					t.Errorf("%q, want %q", said(wishes), test.says)
				}
			})
		})
	}
}

func TestInventories(t *testing.T) {
	sixty := make([]string, 60)
	for i := range sixty {
		sixty[i] = disk(fmt.Sprintf("/dev/sd%02d", i), 1000+i, fmt.Sprintf("A%02d", i))
	}
	for name, test := range map[string]struct {
		disks  string
		fields string
		shows  []string
	}{
		"none":      {"", "", []string{"No inventory for r7-n01", "inventory"}},
		"empty":     {inventory(), "", []string{"Inspection found no disks in r7-n01"}},
		"one":       {inventory(disk("/dev/sda", 447, "A")), "", []string{"● /dev/sda", "single-disk"}},
		"sixty":     {inventory(sixty...), "", []string{"● /dev/sd00", "60 suitable disks"}},
		"broken":    {`{"inventory": {"disks": [1]}}`, "", []string{"Could not load the inventory"}},
		"assisted":  {threeDisks(), `{"deploy_interface": "ramdisk"}`, []string{"Deployments of kind ramdisk do not use root device hints"}},
		"has hints": {threeDisks(), `{"properties": {"root_device": {"serial": "S1A1"}}}`, []string{`node hints in properties: {"serial":"S1A1"}`, "● /dev/sdb"}},
		"skipped": {
			threeDisks(), `{"properties": {"root_device": {"size": "> 100"}, "skip_block_devices": [{"name": "/dev/sda"}]}}`,
			[]string{"■ /dev/sda", "skip_block_devices"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := set(t, machine(t, 1, "r7-n01", test.fields))
				delete(w.ironic.disks, screentest.UUID(1))
				if test.disks != "" {
					w.ironic.disks[screentest.UUID(1)] = test.disks
				}
				w.open()
				w.page(2)
				w.shows(test.shows...)
				whole(t, w.s)
			})
		})
	}
}

func TestSixtyDisksScroll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disks := make([]string, 60)
		for i := range disks {
			disks[i] = disk(fmt.Sprintf("/dev/sd%02d", i), 1000+i, fmt.Sprintf("A%02d", i))
		}
		w := set(t, machine(t, 1, "r7-n01", ""))
		w.ironic.disks[screentest.UUID(1)] = inventory(disks...)
		w.open()
		w.page(2)
		w.do(action.Bottom, action.Open)
		screentest.Shows(t, w.s, 80, 20, "● /dev/sd59", `plan hints, written to instance_info: {"wwn":"0x5002538ea59"}`)
	})
}

func TestHostileTextIsSanitized(t *testing.T) {
	for name, hostile := range screentest.Hostile() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := set(t, machine(t, 1, hostile, fmt.Sprintf(`{"driver_info": {"redfish_address": %q, "deploy_iso": %q}, "instance_info": {"root_device": {"serial": %q}}}`,
					"https://h", printable(hostile), printable(hostile))))
				w.ironic.disks[screentest.UUID(1)] = inventory(fmt.Sprintf(`{"name": %q, "size": 1, "serial": %q, "model": %q, "wwn": %q}`,
					printable(hostile), printable(hostile), printable(hostile), printable(hostile)))
				w.open()
				for n := 1; n <= 5; n++ {
					w.page(n)
					whole(t, w.s)
				}
			})
		})
	}
}

// printable replaces control characters and invalid UTF-8, because Go escapes most of them in a way that is not valid
// JSON.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			return '\u202e'
		}
		return r
	}, s)
}

func TestHintsAsJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := set(t, machine(t, 1, "r7-n01", ""))
		w.ironic.disks[screentest.UUID(1)] = threeDisks()
		w.open()
		w.page(2)
		if why := w.s.DisabledReason(action.HintsDrop); why == "" {
			t.Error("hints that are not there can be dropped")
		}
		for text, says := range map[string]string{`{"size": `: "unexpected", `{}`: "No hints given", `[]`: "hints"} {
			w.do(action.HintsWrite)
			if w.answer(text) {
				t.Errorf("%q was taken", text)
			}
			if shown := w.dialog().Draw(themed(), 90, 20); !strings.Contains(shown, says) {
				t.Errorf("%q: no %q in\n%s", text, says, shown)
			}
		}
		w.do(action.HintsWrite)
		w.answer(`{"size": ">= 800", "rotational": false}`)
		if !strings.Contains(w.plan(), "size: '>= 800'") {
			t.Errorf("%s", w.plan())
		}
		w.shows("stable-hint", "instance_info")
		w.do(action.HintsTo)
		w.shows("to properties")
		if !strings.Contains(w.plan(), "to: properties") {
			t.Errorf("%s", w.plan())
		}
		w.do(action.HintsTo, action.HintsDrop)
		if f := w.plan(); strings.Contains(f, "hints") {
			t.Errorf("%s", f)
		}
	})
}

func TestEachNodeHasItsOwnHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""), machine(t, 2, "r7-n02", ""))
		w.page(2)
		w.do(action.Open, action.DeployNodeNext, action.Down, action.Open)
		want := "nodes:\n  - name: r7-n01\n    root_device:\n      hints:\n        wwn: 0x5002538en0a0\n  - name: r7-n02\n    root_device:\n      hints:\n        wwn: 0x5002538en1a1\n"
		if w.plan() != want {
			t.Errorf("%s\nwant\n%s", w.plan(), want)
		}
		w.do(action.HintsWrite)
		w.answer(`{"size": ">= 800"}`, "+")
		plan, err := plan.Decode([]byte(w.plan()))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"r7-n01", "r7-n02"} {
			if got := plan.For(name).RootDevice.Hints.String(); got != `{"size":">= 800"}` && got != `{"size": ">= 800"}` {
				t.Errorf("%s has %s", name, got)
			}
		}
	})
}

// whole draws the screen at several sizes and checks the results.
func whole(t *testing.T, s *deploy.Screen) {
	t.Helper()
	for _, size := range [][2]int{{33, 11}, {80, 20}, {200, 46}} {
		screentest.Check(t, s.Draw(themed(), size[0], size[1]), size[0], size[1])
	}
}

// TestNextGoesToTheNodeWithoutADisk checks that the key for the next page first visits every node with a failed check
// on the current page.
func TestNextGoesToTheNodeWithoutADisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""), machine(t, 2, "r7-n02", ""), machine(t, 3, "r7-n03", ""))
		for _, node := range []string{"< 1 > r7-n01", "< 2 > r7-n02", "< 3 > r7-n03"} {
			w.shows("[✖ Root disk]", node)
			w.do(action.Open, action.DeployNext)
		}
		w.shows("[▲ Review]", "3 ready, 0 refused")
		// If the page offers no way to fix the node, the key continues to the next page.
		w = set(t, machine(t, 1, "r7-n01", ""), machine(t, 2, "r7-n02", ""))
		w.ironic.disks = nil
		w.open()
		w.do(action.DeployNext)
		w.shows("[✖ Review]")
	})
}
