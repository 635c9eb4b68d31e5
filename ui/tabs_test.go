package ui

import (
	"testing"
	"time"
)

// TestTabsByName checks that the palette opens each tab of a node by name, and that L opens the node's log from the
// fleet too.
func TestTabsByName(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n05")
		r.press("L")
		r.pass(time.Second)
		r.shows("› r7-n05", "[Log]")
		for id, title := range map[string]string{
			"overview": "[Overview]", "timeline": "[Timeline]", "steps": "[Steps]", "disks": "[Disks]",
			"network": "[Network]", "log": "[Log]", "history": "[History]", "raw": "[Raw]",
		} {
			r.press(":")
			r.write(id)
			r.press("enter")
			r.pass(time.Second)
			r.shows(title)
		}
		r.press("L")
		r.shows("[Log]")
		r.press("esc")
		r.choose("r7-n05")
		r.press(":")
		r.write("log")
		r.press("enter")
		r.pass(time.Second)
		r.shows("› r7-n05", "[Log]")
	})
}
