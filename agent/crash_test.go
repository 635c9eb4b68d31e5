package agent

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
)

// brittle is hardware that panics, like a driver with a bug.
type brittle struct{ Hardware }

func (brittle) BlockDevices(context.Context) ([]Disk, error) { panic("index out of range") }

// TestCrashIsAFailureWithAReason checks that a panic in a step makes this step fail, and that the journal shows the
// stack.
func TestCrashIsAFailureWithAReason(t *testing.T) {
	a := newWorkbench(t).agent(Options{})
	a.hardware = brittle{a.hardware}
	_, f := runStep(t, a, deploying, "erase_devices_metadata", nodeOf(t, "", "{}"), newDict())
	if f == nil || f.Type != deploymentError || !strings.Contains(f.Details, "the agent crashed: index out of range") {
		t.Errorf("the step ended with %+v", f)
	}
	if text := a.journal.text(); !strings.Contains(text, "crash_test.go") {
		t.Errorf("the journal lacks the stack:\n%s", text)
	}
}

// brittleLater is hardware that behaves normally until broken is set. From then on, it panics like brittle.
type brittleLater struct {
	Hardware
	broken *atomic.Bool
}

func (b brittleLater) BlockDevices(ctx context.Context) ([]Disk, error) {
	if b.broken.Load() {
		return brittle{}.BlockDevices(ctx)
	}
	return b.Hardware.BlockDevices(ctx)
}

// TestConductorLearnsOfACrash checks that the conductor receives the reason why a step crashed, and that the agent
// still executes the next command.
func TestConductorLearnsOfACrash(t *testing.T) {
	c, m, broken := newConductor(t), newMetal(), &atomic.Bool{}
	done := c.startOn(m, brittleLater{m, broken}, Options{NoInspection: true})
	d := c.drive(c.wait())
	broken.Store(true)
	_, body := d.post("deploy.execute_deploy_step", stepParams("erase_devices_metadata", ""), true)
	reason, _ := body.Get("command_error").(*dict)
	if body.Text("command_status") != "FAILED" || !strings.Contains(reason.Text("details"), "the agent crashed: index out of range") {
		t.Errorf("the step ended as %s", dump(body))
	}
	if _, body := d.post("standby.sync", `{}`, true); body.Text("command_status") != "SUCCEEDED" {
		t.Errorf("the next command ended as %s", dump(body))
	}
	m.off()
	if err := ended(t, done); err != nil {
		t.Error(err)
	}
}

// TestFailedCommandIsLoggedUnlocked checks that the journal's sink may use the agent's API while a failure is logged.
func TestFailedCommandIsLoggedUnlocked(t *testing.T) {
	a, logged := bench(newMetal(), Options{}), false
	a.journal.sink = func(e Entry) {
		logged = logged || strings.Contains(e.Text, "Command failed: power_off")
		if !a.mu.TryLock() {
			t.Fatalf("the agent is locked while it logs %q", e.Text)
		}
		a.mu.Unlock()
	}
	c := &command{name: "power_off", status: running, done: make(chan struct{})}
	a.finish(c, nil, newFault(deploymentError, "no power"))
	if <-c.done; c.status != failed || c.err == nil || !logged {
		t.Errorf("%+v, logged: %t", c, logged)
	}
}
