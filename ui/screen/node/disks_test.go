package node_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/node"
	"ironworks/ui/screen/screentest"
)

// inventory returns an inventory with the given disks, in Ironic's format.
func inventory(disks ...string) json.RawMessage {
	return json.RawMessage(`{"inventory": {"disks": [` + strings.Join(disks, ",") + `]}}`)
}

// rackDisks returns the disks of a machine in the format that an agent reports.
func rackDisks() json.RawMessage {
	return inventory(
		`{"name": "/dev/sda", "size": 480103981056, "model": "INTEL SSDSC2KB48", "vendor": "ATA", "serial": "BTYF0c9397845", "wwn": "0x55cd2e4a0daaa627",
			"rotational": false, "tran": "sata", "hctl": "0:0:0:0", "by_path": "/dev/disk/by-path/pci-0000:00:17.0-ata-1"}`,
		`{"name": "/dev/sdb", "size": 4000787030016, "model": "ST4000NM002A", "vendor": "ATA", "serial": "WS20ABCD", "wwn": "0x5000c500a1b2c3d4",
			"rotational": true, "tran": "sata", "hctl": "1:0:0:0", "by_path": "/dev/disk/by-path/pci-0000:00:17.0-ata-2"}`,
		`{"name": "/dev/sdc", "size": 4000787030016, "model": "ST4000NM002A", "vendor": "ATA", "serial": "WS20ABCE", "wwn": "0x5000c500a1b2c3d5",
			"rotational": true, "tran": "sata", "hctl": "2:0:0:0", "by_path": "/dev/disk/by-path/pci-0000:00:17.0-ata-3"}`,
		`{"name": "/dev/nvme0n1", "size": 960197124096, "model": "SAMSUNG MZQL2960HCJR-00A07", "vendor": null, "serial": "S64F37f219800d",
			"wwn": "eui.000358114478d282", "rotational": false, "tran": "nvme", "hctl": null, "by_path": "/dev/disk/by-path/pci-0000:c1:00.0-nvme-1"}`,
		`{"name": "/dev/sdd", "size": 2004877312, "model": "iDRAC Virtual", "vendor": "Dell", "serial": null, "wwn": null,
			"rotational": null, "tran": "usb", "hctl": "9:0:0:0", "by_path": null}`,
	)
}

// resting returns a node on which no operation is running. fields is JSON that is added to the usual fields or
// overrides them.
func resting(tb testing.TB, fields string) models.Node {
	tb.Helper()
	n, err := models.DecodeNode([]byte(`{"uuid": "` + screentest.UUID(1) + `", "name": "r7-n01", "provision_state": "available", "power_state": "power off",
		"driver": "redfish", "inspection_finished_at": "2026-03-11T14:00:00+00:00"` + fields + `}`))
	if err != nil {
		tb.Fatal(err)
	}
	return *n
}

const (
	wwnHints = `, "properties": {"root_device": {"wwn": "0x5000c500a1b2c3d4"}}`
	noHints  = `, "properties": {}`
)

// onDisks opens the Disks tab of n. The fake API returns found as the node's inventory.
func onDisks(t *testing.T, n models.Node, found json.RawMessage) (*screentest.Rig, screen.Screen) {
	t.Helper()
	r := screentest.New(t, n)
	r.API.Found = found
	r.Sync()
	s := node.New(r.Env, n.UUID)
	r.Open(s)
	to(t, r, s, "Disks")
	return r, s
}

func TestDiskGoldens(t *testing.T) {
	for name, c := range map[string]struct {
		fields string
		found  json.RawMessage
		down   int
	}{
		"disks":          {wwnHints, rackDisks(), 1},
		"disks-no-hints": {noHints, rackDisks(), 0},
		"disks-two":      {`, "instance_info": {"root_device": {"model": "ST4000NM002A", "size": ">= 3000"}}` + wwnHints, rackDisks(), 2},
		"disks-differ":   {`, "properties": {"root_device": {"model": "<all-in> INTEL SSD"}}`, rackDisks(), 0},
		"disks-one":      {noHints, inventory(`{"name": "/dev/sda", "size": 480103981056, "serial": "s", "tran": "sata"}`), 0},
		"disks-none":     {noHints, inventory(), 0},
		"disks-unknown":  {noHints, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, s := onDisks(t, resting(t, c.fields), c.found)
				for range c.down {
					r.Do(s, s.Do(action.Down))
				}
				screentest.Golden(t, s, name)
				screentest.CheckSizes(t, s)
			})
		})
	}
}

// TestDisksAreReadWhenTheTabIsShown checks that the inventory is read only when a tab needs it, because it is large
// and seldom needed.
func TestDisksAreReadWhenTheTabIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, resting(t, wwnHints))
		r.API.Found = rackDisks()
		asked := func() int {
			return len(slices.DeleteFunc(slices.Clone(r.API.Asked), func(what string) bool { return what != "inventory" }))
		}
		if asked() != 0 {
			t.Error("read before anybody wanted it")
		}
		to(t, r, s, "Disks")
		screentest.Shows(t, s, 80, 20, "● picked", "/dev/sdb", "inspected 3d ago, by an agent")
		for range 9 {
			tab(t, r, s, 1)
		}
		if asked() != 2 { // once by the Disks tab, and once for the findings of the Network tab
			t.Errorf("read %d times within seconds", asked())
		}
		r.Deliver(s, screen.Reload{})
		if asked() != 3 {
			t.Error("not read again when it was asked for")
		}
		r.Pass(time.Minute)
		for range 9 {
			tab(t, r, s, 1)
		}
		if asked() != 5 {
			t.Errorf("read %d times, want each tab's again after a minute", asked())
		}
	})
}

func TestDisksAreReadAgainAfterATaskOnTheNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := resting(t, noHints)
		r, s := onDisks(t, n, rackDisks())
		screentest.Shows(t, s, 80, 20, "no root device hints", "the agent picks the smallest")
		task := &screen.Task{Plan: provision.Batch{Items: []provision.Item{{Node: n}}}}
		r.Env.Tasks.Add(task)
		r.API.Nodes[0] = resting(t, wwnHints)
		r.Pass(time.Second)
		r.Deliver(s, screen.TasksChanged{})
		screentest.Shows(t, s, 80, 20, "no root device hints") // the task is still running, so the disks are not read again
		task.Results, task.Ended = []provision.Result{}, time.Now()
		r.Deliver(s, screen.TasksChanged{})
		screentest.Shows(t, s, 80, 20, "properties.root_device", "the hints match one disk")
		asked := len(r.API.Asked)
		r.Pass(time.Second)
		other := &screen.Task{Plan: provision.Batch{Items: []provision.Item{{Node: models.Node{UUID: screentest.UUID(2)}}}}, Results: []provision.Result{}, Ended: time.Now()}
		r.Env.Tasks.Add(other)
		r.Deliver(s, screen.TasksChanged{})
		if len(r.API.Asked) != asked {
			t.Error("read again after a task on another node")
		}
	})
}

func TestDisksThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := onDisks(t, resting(t, wwnHints), rackDisks())
		r.API.Err = errBoom
		r.Deliver(s, screen.Reload{})
		screentest.Shows(t, s, 80, 20, "the database is away", "/dev/sdb") // the older data is still shown
		r.API.Err = nil
		r.API.Found = json.RawMessage(`{"inventory": {"disks": 5}}`)
		r.Deliver(s, screen.Reload{})
		screentest.Shows(t, s, 80, 20, "inventory: ")
	})
}

func TestSixtyDisks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var list []string
		for i := range 60 {
			list = append(list, fmt.Sprintf(`{"name": "/dev/sd%02d", "size": %d, "serial": "Z%d", "wwn": "0x%d", "rotational": true}`, i, int64(i+1)<<40, i, i))
		}
		r, s := onDisks(t, resting(t, `, "properties": {"root_device": {"serial": "Z59"}}`), inventory(list...))
		screentest.Shows(t, s, 80, 20, "1 of 60", "the hints match one disk; the agent picks /dev/sd59")
		r.Do(s, s.Do(action.Bottom))
		screentest.Shows(t, s, 80, 20, "60 of 60", "❯  ● picked", "✓ serial Z59")
		screentest.CheckSizes(t, s)
	})
}

func TestHostileDisks(t *testing.T) {
	for name, text := range screentest.Hostile() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				quoted, err := json.Marshal(text)
				if err != nil {
					t.Fatal(err)
				}
				q := string(quoted)
				found := inventory(
					`{"name": `+q+`, "size": 480103981056, "serial": `+q+`, "model": `+q+`, "vendor": `+q+`, "wwn": `+q+`, "by_path": `+q+`, "tran": `+q+`}`,
					`{"name": "/dev/sdb", "size": 1, "serial": [`+q+`, "b"], "wwn": null, "rotational": `+q+`}`)
				r, s := onDisks(t, resting(t, `, "properties": {"root_device": {"serial": `+q+`, "`+"bogus"+`": `+q+`}}`), found)
				screentest.CheckSizes(t, s)
				r.Do(s, s.Do(action.Down))
				screentest.CheckSizes(t, s)
				for _, id := range []action.ID{action.Open, action.PinDisk} {
					for _, msg := range r.Do(s, s.Do(id)) {
						if ask, ok := msg.(screen.Ask); ok {
							screentest.CheckOverlay(t, ask.Overlay)
						}
					}
				}
				for _, c := range s.Copies() {
					if strings.ContainsAny(c.Printable(), "\x1b\r\u202e") {
						t.Errorf("copied %q", c.Text)
					}
				}
			})
		})
	}
}

func TestPin(t *testing.T) {
	twins := inventory(`{"name": "/dev/sda", "size": 480103981056, "serial": "same"}`, `{"name": "/dev/sdb", "size": 480103981056, "serial": "same"}`)
	for name, c := range map[string]struct {
		fields string
		found  json.RawMessage
		why    string // why the action is disabled
		shows  []string
		keys   []string
		words  string
	}{
		"to the instance": {
			noHints, rackDisks(), "",
			[]string{"Pin /dev/sda", `instance_info`, `{"wwn":"0x55cd2e4a0daaa627"}`, "until undeploy"},
			[]string{"enter"},
			"hints set r7-n01 --disk /dev/sda --to instance_info",
		},
		"to the properties":     {noHints, rackDisks(), "", nil, []string{"down", "enter"}, "hints set r7-n01 --disk /dev/sda --to properties"},
		"the instance is first": {`, "instance_info": {"root_device": {"serial": "x"}}`, rackDisks(), "", []string{"takes precedence "}, []string{"down", "enter"}, ""},
		"nothing of its own":    {noHints, twins, "no stable hint identifies /dev/sda", nil, nil, ""},
		"skipped":               {`, "properties": {"skip_block_devices": [{"serial": "BTYF0c9397845"}]}`, rackDisks(), "skip_block_devices excludes /dev/sda", nil, nil, ""},
		"no disk":               {noHints, inventory(), "no disk", nil, nil, ""},
		"no inventory":          {noHints, nil, "disks unknown", nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, s := onDisks(t, resting(t, c.fields), c.found)
				if why := s.DisabledReason(action.PinDisk); !strings.Contains(why, c.why) || c.why == "" && why != "" {
					t.Fatalf("why: %q, want %q", why, c.why)
				}
				wishes := r.Do(s, s.Do(action.PinDisk))
				if c.why != "" {
					if len(wishes) > 0 {
						t.Errorf("asked all the same: %v", wishes)
					}
					return
				}
				ask, ok := wishes[0].(screen.Ask)
				if !ok {
					t.Fatalf("%T", wishes[0])
				}
				drawn := screentest.OverlayText(ask.Overlay, 100, 20)
				for _, want := range c.shows {
					if !strings.Contains(drawn, want) {
						t.Errorf("no %q in:\n%s", want, drawn)
					}
				}
				var pinned *screen.StartAction
				for _, key := range c.keys {
					_, cmd := ask.Overlay.Update(screentest.Press(key))
					for _, msg := range screentest.Run(cmd) {
						if pin, is := msg.(screen.StartAction); is {
							pinned = &pin
						}
					}
				}
				switch {
				case pinned == nil && c.words != "":
					t.Error("nothing was wished for")
				case pinned != nil && strings.Join(pinned.CommandLine, " ") != c.words:
					t.Errorf("%q, want %q", pinned.CommandLine, c.words)
				}
			})
		})
	}
}

func TestDiskDialog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := onDisks(t, resting(t, `, "instance_info": {"root_device": {"model": "ST4000", "size": 3726}}`+wwnHints), rackDisks())
		r.Do(s, s.Do(action.Down))
		ask, ok := r.Do(s, s.Do(action.Preview))[0].(screen.Ask)
		if !ok {
			t.Fatal("nothing is shown")
		}
		drawn := screentest.OverlayText(ask.Overlay, 120, 40)
		for _, want := range []string{
			"Disk /dev/sdb", "by-path     /dev/disk/by-path/pci-0000:00:17.0-ata-2", "wwn         0x5000c500a1b2c3d4", "vendor      ATA", "hctl        1:0:0:0",
			"3726.02 GiB", "to match a part of the value", "equality is exact", "instance_info.root_device", "overrides",
		} {
			if !strings.Contains(drawn, want) {
				t.Errorf("no %q in:\n%s", want, drawn)
			}
		}
		tab(t, r, s, 1)
		if s.DisabledReason(action.PinDisk) != "only in the Disks tab" || s.DisabledReason(action.Open) == "" {
			t.Error("another tab does what this one has")
		}
	})
}

func TestDiskCopies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := onDisks(t, resting(t, wwnHints), rackDisks())
		copies := map[string]string{}
		for _, c := range s.Copies() {
			copies[c.Name] = c.Text
		}
		if copies["disk"] != "/dev/sda" || copies["serial"] != "BTYF0c9397845" || copies["wwn"] == "" || copies["by-path"] == "" || copies["why"] == "" {
			t.Errorf("%v", copies)
		}
	})
}
