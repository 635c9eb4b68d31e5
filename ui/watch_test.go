package ui

import (
	"testing"
	"time"

	"ironworks/ui/screen"
)

// TestMarksComeAlong: the nodes that are marked are watched, and are found again.
func TestMarksComeAlong(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n01")
		r.press("space")
		r.choose("r7-n03")
		r.press("space", "7")
		r.shows("› watch", "r7-n01", "r7-n03", "2 running")
		r.lacks("r7-n05")
		r.press("enter")
		r.shows("› r7-n0")
		r.press("esc")
		r.shows("› watch", "r7-n01", "r7-n03")
		r.press("1", "-", "7")
		r.shows("› watch", "r7-n01", "r7-n03")
		r.press(":")
		r.write("watch")
		r.press("enter")
		r.shows("› watch", "2 running")
		// Another context has its own.
		r.deliver(screen.Switch{Context: "rack8"})
		r.settle()
		r.press("2", "7")
		r.lacks("2 running")
	})
}

// TestADeploymentIsWatched: the screen comes by itself when the review was confirmed,
// and goes by itself nowhere.
func TestADeploymentIsWatched(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.deployable("r7-n04")
		r.choose("r7-n04")
		r.order("D")
		r.shows("deploy r7-n04? Type the node name to confirm.", "› fleet")
		r.write("r7-n04")
		r.press("enter")
		r.shows("› watch", "r7-n04")
		r.pass(3 * time.Second)
		r.shows("› watch", "● active")
		r.press("esc")
		r.shows("› fleet")
		// What only cleans leaves the screen where it is.
		r.choose("r7-n05")
		r.press("U")
		r.answer("y")
		r.pass(2 * time.Second)
		r.shows("› fleet")
		r.press("7")
		r.shows("› watch", "r7-n04", "r7-n05")
	})
}

// TestADeploymentElsewhere opens no screen of this context.
func TestADeploymentElsewhere(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.deployable("r7-n04")
		r.choose("r7-n04")
		r.order("D")
		r.deliver(screen.Switch{Context: "lab"})
		r.settle()
		r.write("r7-n04")
		r.press("enter")
		r.pass(time.Second)
		r.shows("lab › fleet", "deploy r7-n04: done")
	})
}
