package ui

import (
	"strings"
	"testing"
	"time"
)

// onDisks opens the Disks tab of the named node.
func (r *rig) onDisks(name string) {
	r.t.Helper()
	r.resize(120, 40)
	r.choose(name)
	r.press("enter")
	r.tab("Disks")
}

func TestPinIsShownBeforeItIsSent(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.onDisks("r7-n04")
		r.shows("● picked", "/dev/sda", "no root device hints")
		r.press("enter")
		r.shows("Pin /dev/nvme0n1", `{"serial":"PHLJ1"}`)
		r.press("down", "enter")
		r.sent()
		r.shows("hints set r7-n04", "PATCH", "/properties/root_device", "PHLJ1", "baremetal node set", "Send 1 request?")
		r.answer("y")
		r.sent("add /properties/root_device r7-n04")
		r.press("5", "enter")
		r.pass(time.Minute)
		r.shows("hints set", "r7-n04", "✓ done", "--disk /dev/nvme0n1 --to properties")
	})
}

func TestPinIsRefused(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.onDisks("r7-n04")
		r.press("enter", "enter")
		r.answer("esc")
		r.sent()
		// Ironic refuses to change a node while it is being deployed.
		r.press("1")
		r.onDisks("r7-n01")
		r.press("enter", "enter")
		r.pass(time.Second)
		r.shows("Ironic refuses changes while the node is deploying")
		r.sent()
		// The Overview tab has no disks to pin.
		r.press("shift+tab", ":")
		r.write("pin-disk")
		r.shows("pin-disk: only in the Disks tab")
		r.press("esc", "tab", "ctrl+o", "enter")
		r.shows("read-only mode; ctrl+o turns it off")
		if strings.Contains(r.text(), "write root_device into") {
			t.Error("it asks where to write, read-only")
		}
		r.sent()
	})
}
