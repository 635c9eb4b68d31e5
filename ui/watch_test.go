package ui

import (
	"testing"
	"time"

	"ironworks/ui/screen"
)

// TestMarkedNodesAreWatched checks that the Watch screen shows the marked nodes, even if it is opened again after the
// marks have been removed.
func TestMarkedNodesAreWatched(t *testing.T) {
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
		// Each context has its own list of watched nodes.
		r.deliver(screen.Switch{Context: "rack8"})
		r.settle()
		r.press("2", "7")
		r.lacks("2 running")
	})
}

// TestConfirmedDeploymentOpensWatch checks that a confirmed deployment opens the Watch screen, which stays open when
// the deployment has ended.
func TestConfirmedDeploymentOpensWatch(t *testing.T) {
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
		// Cleaning does not open another screen.
		r.choose("r7-n05")
		r.press("U")
		r.answer("r", "7", "-", "n", "0", "5", "enter")
		r.pass(2 * time.Second)
		r.shows("› fleet")
		r.press("7")
		r.shows("› watch", "r7-n04", "r7-n05")
	})
}

// TestDeploymentOfAnotherContextOpensNoScreen checks that a deployment that belongs to another context does not open
// a screen in the current one.
func TestDeploymentOfAnotherContextOpensNoScreen(t *testing.T) {
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
