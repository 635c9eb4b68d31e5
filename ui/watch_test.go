package ui

import (
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/screen"
)

// TestMarksComeAlong: the nodes that are marked are watched, and are found again.
func TestMarksComeAlong(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n01")
		r.press("space")
		r.choose("r7-n03")
		r.press("space", "7")
		r.shows("› watch", "r7-n01", "r7-n03", "2 under way")
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
		r.shows("› watch", "2 under way")
		// Another context has its own.
		r.deliver(screen.Switch{Context: "rack8"})
		r.settle()
		r.press("2", "7")
		r.lacks("2 under way")
	})
}

// TestADeploymentIsWatched: the screen comes by itself, and goes by itself nowhere.
func TestADeploymentIsWatched(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		deployment := &screen.Task{Context: "rack7"}
		deployment.Plan = deployPlan(r, "r7-n04")
		r.c.env.Tasks.Add(deployment)
		deployment.Progress = nil
		r.run(r.c.watchStarted(deployment))
		r.settle()
		r.shows("› watch", "r7-n04", "waits for its turn")
		r.ironic.change(func() {
			r.ironic.nodes[3].ProvisionState = models.StateDeploying
		})
		r.pass(3 * time.Second)
		r.shows("power on")
		r.press("esc")
		r.shows("› fleet")

		elsewhere := &screen.Task{Context: "rack8", Plan: deployment.Plan}
		r.run(r.c.watchStarted(elsewhere))
		r.settle()
		if strings.Contains(r.text(), "› watch") {
			t.Error("a deployment of another context opens the screen of this one")
		}
	})
}

// deployPlan is a plan to deploy a node.
func deployPlan(r *rig, name string) provision.Plan {
	r.t.Helper()
	p := provision.Plan{Action: provision.Deploy(&provision.Preflighter{}, provision.DeployOptions{})}
	for _, row := range r.c.env.Session.Store.Rows(models.Filter{}, models.Columns()[0], false) {
		if row.Node.Name == name {
			p.Items = append(p.Items, provision.Item{Node: row.Node})
		}
	}
	return p
}
