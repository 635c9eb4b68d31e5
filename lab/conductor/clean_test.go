package conductor

import (
	"strings"
	"testing"

	"ironworks/agent"
	"ironworks/lab/db"
	"ironworks/lab/machine"
)

// TestAutomatedCleaning checks that automated cleaning erases the disk through the agent, and leaves the machine
// powered off.
func TestAutomatedCleaning(t *testing.T) {
	r := newRig(t, func(o *Options) { o.AutomatedClean = true })
	m, node := r.machine()
	r.must(m.Install("/dev/sda", machine.Installation{What: "old"}))
	r.must(r.c.Act(t.Context(), node.UUID, "manage"))
	r.state(node.UUID, manageable)
	r.must(r.c.Act(t.Context(), node.UUID, "provide"))
	node = r.state(node.UUID, available)
	if m.Disks()[0].Installed != nil {
		t.Error("the disk was not erased")
	}
	if node.PowerState != powerOff || m.Power() != machine.Off || node.TargetProvisionState != "" || len(node.CleanStep) != 0 {
		t.Errorf("power %s, target %q, step %v", node.PowerState, node.TargetProvisionState, node.CleanStep)
	}
	events := strings.Join(r.events(node.UUID), "\n")
	if !strings.Contains(events, "automated_cleaning_end/INFO: Automated Cleaning completed successfully with steps=[]") {
		t.Errorf("history:\n%s", events)
	}
}

func eraseStep() []db.Dict {
	return []db.Dict{{"interface": "deploy", "step": "erase_devices_metadata"}}
}

// TestManualCleaning checks that successful manual cleaning ends in the manageable state. It also checks that failed
// cleaning puts the node in maintenance, unless it failed before the first step.
func TestManualCleaning(t *testing.T) {
	t.Run("works", func(t *testing.T) {
		r := newRig(t)
		m, node := r.machine(func(n *db.Node) { n.ProvisionState = manageable })
		r.must(m.Install("/dev/sda", machine.Installation{What: "old"}))
		r.must(r.c.Clean(t.Context(), node.UUID, eraseStep(), false))
		if n := r.node(node.UUID); n.TargetProvisionState != manageable {
			t.Errorf("target %q", n.TargetProvisionState)
		}
		r.state(node.UUID, manageable)
		if m.Disks()[0].Installed != nil {
			t.Error("the disk was not erased")
		}
	})
	t.Run("step fails", func(t *testing.T) {
		r := newRig(t)
		r.agent.Faults = agent.Faults{FailStep: "erase_devices_metadata", FailMessage: "no way"}
		_, node := r.machine(func(n *db.Node) { n.ProvisionState = manageable })
		r.must(r.c.Clean(t.Context(), node.UUID, eraseStep(), false))
		node = r.state(node.UUID, cleanFail)
		want := "Clean step deploy.erase_devices_metadata failed on node " + node.UUID + ". "
		if !strings.HasPrefix(node.LastError, want) || node.MaintenanceReason != node.LastError || !node.Maintenance || node.Fault != faultClean || node.TargetProvisionState != manageable {
			t.Errorf("error %q, maintenance %t %q, fault %q, target %q", node.LastError, node.Maintenance, node.MaintenanceReason, node.Fault, node.TargetProvisionState)
		}
		r.must(r.c.SetMaintenance(t.Context(), node.UUID, false, ""))
		r.must(r.c.Act(t.Context(), node.UUID, "manage"))
		if node = r.state(node.UUID, manageable); node.Fault != "" || node.TargetProvisionState != "" {
			t.Errorf("fault %q, target %q", node.Fault, node.TargetProvisionState)
		}
	})
	t.Run("unknown step", func(t *testing.T) {
		r := newRig(t)
		_, node := r.machine(func(n *db.Node) { n.ProvisionState = manageable })
		r.must(r.c.Clean(t.Context(), node.UUID, []db.Dict{{"interface": "deploy", "step": "scrub"}}, false))
		node = r.state(node.UUID, cleanFail)
		events := strings.Join(r.events(node.UUID), "\n")
		if want := "Node failed to start the first cleaning step: node does not support this clean step: {'interface': 'deploy', 'step': 'scrub'}"; !strings.Contains(events, want) {
			t.Errorf("history has no %s:\n%s", want, events)
		}
		if node.Maintenance {
			t.Error("in maintenance, although no step had begun")
		}
	})
}

// TestAbortCleaning checks that an abort takes effect immediately, or only after the current step if that step must
// not be interrupted.
func TestAbortCleaning(t *testing.T) {
	r := newRig(t)
	node := r.fake(cleanWait, func(n *db.Node) {
		n.TargetProvisionState = manageable
		n.CleanStep = db.Dict{"interface": "deploy", "step": "erase_devices", "abortable": false}
	})
	r.must(r.c.Act(t.Context(), node.UUID, "abort"))
	if n := r.state(node.UUID, cleanWait); n.CleanStep["abort_after"] != true {
		t.Errorf("clean step %v", n.CleanStep)
	}
	node = r.fake(cleanWait, func(n *db.Node) {
		n.TargetProvisionState = manageable
		n.CleanStep = db.Dict{"interface": "deploy", "step": "erase_devices", "abortable": true}
	})
	r.must(r.c.Act(t.Context(), node.UUID, "abort"))
	n := r.state(node.UUID, cleanFail)
	if want := `By request, the clean operation was aborted during or after the completion of step "deploy.erase_devices"`; n.LastError != want || n.TargetProvisionState != manageable {
		t.Errorf("error %q, want %q; target %q", n.LastError, want, n.TargetProvisionState)
	}
}

// TestFakeHardware checks that every operation succeeds on fake hardware, without a machine.
func TestFakeHardware(t *testing.T) {
	r := newRig(t, func(o *Options) { o.AutomatedClean = true })
	node := r.fake(enroll, func(n *db.Node) { n.PowerState = "" })
	for _, step := range []struct {
		verb, want string
		do         func() error
	}{
		{"manage", manageable, nil},
		{"inspect", manageable, func() error { return r.c.Inspect(t.Context(), node.UUID) }},
		{"provide", available, nil},
		{"manage", manageable, nil},
		{"adopt", active, nil},
		{"rescue", rescue, func() error { return r.c.Rescue(t.Context(), node.UUID, "pw") }},
		{"unrescue", active, func() error { return r.c.Unrescue(t.Context(), node.UUID) }},
		{"service", active, func() error {
			return r.c.Service(t.Context(), node.UUID, []db.Dict{{"interface": "vendor", "step": "log_passthrough"}}, false)
		}},
		{"deleted", available, func() error { return r.c.TearDown(t.Context(), node.UUID) }},
	} {
		do := step.do
		if do == nil {
			do = func() error { return r.c.Act(t.Context(), node.UUID, step.verb) }
		}
		if err := do(); err != nil {
			t.Fatalf("%s: %v", step.verb, err)
		}
		if n := r.state(node.UUID, step.want); n.LastError != "" || n.TargetProvisionState != "" {
			t.Errorf("%s: error %q, target %q", step.verb, n.LastError, n.TargetProvisionState)
		}
	}
	if !strings.Contains(strings.Join(r.events(node.UUID), "\n"), "automated_cleaning_start/INFO: Starting automated cleaning with steps=[{'step': 'log_passthrough', 'priority': 1, 'abortable': False, 'argsinfo': None, 'interface': 'vendor', 'requires_ramdisk': True}]") {
		t.Errorf("history %v", r.events(node.UUID))
	}
}
