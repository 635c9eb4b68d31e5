package ui

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/screen"
)

func TestOneOfThreeChecksIsOverridden(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.deployable("r7-n04")
		r.hints("r7-n04", map[string]any{"serial": "none"})
		r.ironic.change(func() { r.ironic.nodes[3].Retired = true })
		r.choose("r7-n04")
		r.order("D")
		override := func(id string, typed string) {
			r.press("O")
			r.shows("Override a check")
			r.write(id)
			r.press("enter")
			r.shows("Override " + id + " on r7-n04")
			r.answer()
			r.write(typed)
			r.press("enter")
			r.pass(time.Second)
		}
		override("retired", "r7-n05") // the name of another node
		r.shows("No match.")
		r.press("esc")
		r.shows("failed: retired", "failed: root-device")
		override("retired", "r7-n04")
		r.shows("failed: root-device")
		r.lacks("failed: retired")
		override("root-device", "r7-n04")
		r.shows("deploy r7-n04? Type the node name to confirm.")
		r.resize(200, 90)
		r.shows("overridden: retired", "overridden: root-device")
		r.sent()
		r.answer()
		r.write("r7-n04")
		r.press("enter")
		r.sent("add /instance_uuid r7-n04", "deploy r7-n04")
		last := r.audit.records[len(r.audit.records)-1]
		if last.Verb != "deploy" || !slices.Equal(last.Overrides, []string{"retired", "root-device"}) {
			t.Errorf("the audit has %+v", last)
		}
		r.pass(3 * time.Second)
		r.press("5", "enter")
		r.shows("--confirm r7-n04 --override retired --override root-device")
	})
}

func TestSomeChecksCannotBeOverridden(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.deployable("r7-n04")
		r.choose("r7-n04")
		r.order("D", "", `{"colour": "red"}`)
		r.shows("failed: hints", "cannot be overridden")
		r.press("O", "enter")
		if r.ironic.change(func() {}); strings.Contains(r.text(), "Override hints on") {
			t.Error("hints can be overridden")
		}
		r.press("esc")
		r.sent()
	})
}

func TestSeveralNodesAreReviewedTogether(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.ironic.change(func() { r.ironic.nodes[5].Maintenance, r.ironic.nodes[5].ProvisionState = false, models.StateAvailable })
		r.pass(6 * time.Second)
		r.deployable("r7-n02", "r7-n04", "r7-n06")
		r.hints("r7-n02", map[string]any{"serial": "none"})
		r.mark("r7-n02", "r7-n04", "r7-n06")
		r.order("D")
		r.shows("refused for r7-n02", "c continue with 2 nodes")
		r.press("c")
		r.resize(200, 90)
		r.shows("serial PHLJ1-r7-n04", "serial PHLJ1-r7-n06", "Skipped (checks failed): r7-n02", "Type the number of nodes to confirm.")
		r.answer("3")
		r.press("enter")
		r.sent()
		r.press("backspace", "2", "enter")
		r.pass(3 * time.Second)
		got := slices.DeleteFunc(r.ironic.requests(), func(s string) bool { return !strings.HasPrefix(s, "deploy") })
		slices.Sort(got)
		if !slices.Equal(got, []string{"deploy r7-n04", "deploy r7-n06"}) {
			t.Errorf("sent %q", got)
		}
		r.shows("deploy: 1 refused, 2 done")
	})
}

// TestRetryRunsItsOwnChecks checks that a retry does not reuse the check results and overrides of the first attempt.
func TestRetryRunsItsOwnChecks(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.deployable("r7-n04")
		r.ironic.change(func() { r.ironic.nodes[3].Retired = true })
		r.choose("r7-n04")
		r.order("D")
		r.press("O")
		r.write("retired")
		r.press("enter")
		r.answer()
		r.write("r7-n04")
		r.press("enter")
		r.pass(time.Second)
		r.ironic.change(func() { r.ironic.nodes[3].fails = "install_coreos failed" })
		r.answer()
		r.write("r7-n04")
		r.press("enter")
		r.pass(4 * time.Second)
		first := len(r.ironic.requests())
		// The node ends up in deploy failed, as it would in Ironic.
		r.ironic.change(func() { r.ironic.nodes[3].ProvisionState = models.StateDeployFailed })
		r.hints("r7-n04", map[string]any{"serial": "none"})
		r.pass(4 * time.Second)
		r.press("5", "enter")
		r.shows("install_coreos failed")
		r.press("r")
		r.pass(time.Second)
		r.shows("failed: retired", "failed: root-device")
		r.lacks("failed: reserved") // the node is still reserved, but by this very deployment
		r.press("esc")
		r.ironic.change(func() { r.ironic.nodes[3].Retired = false })
		r.hints("r7-n04", map[string]any{"serial": "S3Z9-r7-n04"})
		r.press("r")
		r.pass(time.Second)
		r.shows("deploy r7-n04? Type the node name to confirm.", "overwrites  /dev/sda")
		r.answer()
		r.write("r7-n04")
		r.press("enter")
		r.pass(4 * time.Second)
		if got := r.ironic.requests()[first:]; !slices.Equal(got, []string{"deploy r7-n04", "add /extra/console r7-n04"}) {
			t.Errorf("the second try sent %q", got)
		}
		r.shows("Task 2", "✓ done")
	})
}

// TestRetryHasTheCurrentPermissions checks that retrying a task depends on the user's current role, not on the role
// when the task started. A role without overrides can retry the task but cannot override checks; a viewer cannot
// retry it.
func TestRetryHasTheCurrentPermissions(t *testing.T) {
	var running sync.WaitGroup
	tasks := func(r *rig, o *Options) { o.Tasks = screen.NewTaskList(r.t.Context(), &running).For("eve", nil) }
	inBubble(t, rack(), tasks, func(r *rig) {
		r.deployable("r7-n04")
		r.ironic.change(func() { r.ironic.nodes[3].fails = "install_coreos failed" })
		r.choose("r7-n04")
		r.order("D")
		r.answer()
		r.write("r7-n04")
		r.press("enter")
		r.pass(4 * time.Second)
		r.ironic.change(func() { r.ironic.nodes[3].ProvisionState, r.ironic.nodes[3].Retired = models.StateDeployFailed, true })
		r.pass(4 * time.Second)
		first := len(r.ironic.requests())
		r.press("5", "enter", "r")
		r.pass(time.Second)
		r.shows("failed: retired", "O override a check")
		r.press("esc")
		r.c.env.Session.Checks = &provision.Preflighter{Reader: r.ironic, NoOverride: true}
		r.press("r")
		r.pass(time.Second)
		r.shows("failed: retired")
		r.lacks("O override a check")
		r.press("esc")
		r.c.env.ReadOnly, r.c.env.Session.Context.ReadOnly, r.c.env.Session.Context.WhyReadOnly = true, true, "your role is viewer"
		r.press("r")
		r.pass(time.Second)
		r.shows("your role is viewer")
		r.lacks("failed: retired")
		if got := r.ironic.requests()[first:]; len(got) > 0 {
			t.Errorf("sent %q", got)
		}
	})
}

func TestRebuildRunsChecks(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.deployable("r7-n05")
		r.choose("r7-n05")
		r.press("D")
		r.shows(`deploy: not possible in state "active"`)
		r.order("B")
		r.shows("failed: image: Ironic answers a rebuild without an image")
		r.press("esc")
		r.ironic.change(func() { r.ironic.nodes[4].InstanceInfo = map[string]any{"image_source": "http://10.0.7.1/os"} })
		r.order("B")
		r.shows("rebuild r7-n05? Type the node name to confirm.", "overwrites  /dev/nvme0n1", "7b0f6f0e")
		r.sent()
		r.answer()
		r.write("r7-n05")
		r.press("enter")
		r.sent("rebuild r7-n05")
		r.pass(3 * time.Second)
		r.shows("rebuild r7-n05: done, now active")
		r.hints("r7-n05", map[string]any{"serial": "none"})
		r.order("B")
		r.shows("failed: root-device")
		r.press("esc")
		r.sent("rebuild r7-n05", "add /extra/console r7-n05") // /extra/console records the root disk that the deployment used
	})
}

// TestEscCancelsRunningChecks checks that esc cancels running checks, and that keys typed in the meantime are
// dropped.
func TestEscCancelsRunningChecks(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.deployable("r7-n04")
		r.choose("r7-n04")
		r.press("D")
		r.deliver(keyMsg("enter")) // the commands have not run yet
		msg := <-r.msgs
		r.deliver(msg)
		if !strings.Contains(r.text(), "Running checks.") {
			t.Fatalf("it does not say what it does:\n%s", r.text())
		}
		r.deliver(keyMsg("U"))
		r.deliver(keyMsg("esc"))
		r.settle()
		r.pass(time.Second)
		r.lacks("Running checks.", "Type the node name", "undeploy")
		r.sent()
	})
}

// TestOutdatedReviewIsNotSent checks that a confirmed deployment is not sent if another console has changed the root
// device hints since the checks.
func TestOutdatedReviewIsNotSent(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.deployable("r7-n04")
		r.choose("r7-n04")
		r.order("D")
		r.hints("r7-n04", map[string]any{"serial": "S3Z9-r7-n04"})
		r.answer()
		r.write("r7-n04")
		r.press("enter")
		r.pass(2 * time.Second)
		r.shows("changed since the checks: properties")
		r.sent("add /instance_uuid r7-n04", "remove /instance_uuid r7-n04") // the node was reserved and released
	})
}
