package conductor

import (
	"context"
	"fmt"
	"net/http"

	"ironworks/lab/db"
	"ironworks/python"
)

// Reasons why the conductor puts a node into maintenance (common/faults.py).
const (
	faultPower       = "power failure"
	faultClean       = "clean failure"
	faultRescueAbort = "rescue abort failure"
	faultService     = "service failure"
)

// Clean starts manual cleaning.
func (c *Conductor) Clean(ctx context.Context, uuid string, steps []db.Dict, disableRamdisk bool) error {
	if err := c.limit("cleaning"); err != nil {
		return err
	}
	if steps == nil {
		steps = []db.Dict{} // nil would mean automated cleaning
	}
	return c.withTask(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		if t.node.Maintenance {
			return inMaintenance("cleaning", t.node.UUID)
		}
		if err := t.validateRedfish("power"); err != nil {
			return invalid("Validation of node %s for cleaning failed: %s", t.node.UUID, messageOf(err))
		}
		return t.begin(onClean, manageable, "do_node_clean", func(t *task, ctx context.Context) error {
			return t.clean(ctx, steps, disableRamdisk)
		})
	})
}

// provide starts automated cleaning.
func (t *task) provide() error {
	if t.node.Retired {
		return db.Faultf(http.StatusBadRequest, "NodeIsRetired", "The providing operation can't be performed on node %s because it is retired.", t.node.UUID)
	}
	return t.begin(onProvide, "", "do_node_clean", func(t *task, ctx context.Context) error { return t.clean(ctx, nil, false) })
}

// skipsCleaning implements skip_automated_cleaning.
func (t *task) skipsCleaning() bool {
	if t.node.AutomatedClean != nil {
		return !*t.node.AutomatedClean
	}
	return !t.c.options.AutomatedClean
}

// clean implements do_node_clean. If given is nil, the cleaning is automated.
func (t *task) clean(ctx context.Context, given []db.Dict, noRamdisk bool) error {
	manual := given != nil
	if !manual && t.skipsCleaning() {
		t.node.CleanStep = nil
		t.restoreDeploy()
		return t.process(onDone)
	}
	if err := t.switchDeploy(); err != nil {
		t.failSteps(ctx, cleanSteps, fmt.Sprintf("Failed to select a deploy interface for cleaning node %s: %s", t.node.UUID, messageOf(err)), failing{keep: true})
		return nil
	}
	if err := t.checkPowerAndNetwork(noRamdisk); err != nil {
		t.failSteps(ctx, cleanSteps, fmt.Sprintf("Validation of node %s for cleaning failed: %s", t.node.UUID, messageOf(err)), failing{})
		return nil
	}
	t.wipeSteps(cleanSteps)
	if len(given) > 0 {
		t.setInternal("clean_steps", listOf(given))
		t.setInternal("cleaning_disable_ramdisk", noRamdisk)
		t.setInternal("declarative_cleaning", true)
	}
	t.save()
	t.updateCache(ctx)
	checked, err := false, error(nil)
	if len(given) > 0 && !noRamdisk {
		if checked, noRamdisk, err = t.checkCleanStepsEarly(); err != nil {
			t.failSteps(ctx, cleanSteps, fmt.Sprintf("Cannot clean node %s: %s", t.node.UUID, messageOf(err)), failing{})
			return nil
		}
	}
	if !noRamdisk {
		state, err := t.driver.deploy.prepareSteps(ctx, t, cleanSteps)
		switch {
		case isKind(err, kindAgentConnection), err == nil && state == cleanWait:
			return t.processTo(onWait, t.target(cleanSteps))
		case err != nil:
			t.failSteps(ctx, cleanSteps, fmt.Sprintf("Failed to prepare node %s for cleaning: %s", t.node.UUID, messageOf(err)), failing{})
			return nil
		}
	}
	if !checked {
		if err := t.planCleaning(noRamdisk, len(given) > 0); err != nil {
			t.failSteps(ctx, cleanSteps, fmt.Sprintf("Cannot clean node %s: %s", t.node.UUID, messageOf(err)), failing{})
			return nil
		}
	}
	steps := t.steps(cleanSteps)
	t.flowStarts(cleanSteps, steps)
	t.guardSteps(ctx, cleanSteps, func() error { return t.stepsFrom(ctx, cleanSteps, 0, noRamdisk) })
	return nil
}

// checkCleanStepsEarly implements _validate_clean_steps_early. checked is false if a step is unknown, because the agent
// may provide it. noRamdisk is true if no step needs the ramdisk.
func (t *task) checkCleanStepsEarly() (checked, noRamdisk bool, err error) {
	if err := t.planCleaning(false, true); err != nil {
		t.stepsChecked = true
		if isInvalid(err) {
			return false, false, nil
		}
		return false, false, err
	}
	steps := t.steps(cleanSteps)
	known := t.driverSteps(cleanSteps, false, false)
	for _, step := range steps {
		declared := findStep(known, step)
		if declared == nil || python.Truthy(declared["requires_ramdisk"]) {
			return true, false, nil
		}
	}
	if len(steps) == 0 {
		return true, false, nil
	}
	t.setInternal("cleaning_disable_ramdisk", true)
	t.save()
	return true, true, nil
}

// cleaned finishes a cleaning operation whose steps have all succeeded.
func (t *task) cleaned(ctx context.Context, noRamdisk bool) error {
	manual := t.node.TargetProvisionState == manageable
	if t.c.options.LogsCollect == "always" && !noRamdisk {
		t.collectLogs(ctx, "cleaning")
	}
	t.node.CleanStep = nil
	t.wipeSteps(cleanSteps)
	t.save()
	if !noRamdisk {
		if err := t.driver.deploy.tearDownSteps(ctx, t, cleanSteps); err != nil {
			t.failSteps(ctx, cleanSteps, fmt.Sprintf("Failed to tear down from cleaning for node %s, reason: %s", t.node.UUID, messageOf(err)), failing{keep: true})
			return nil
		}
	}
	t.updateCache(ctx)
	t.flowEnds(cleanSteps, t.steps(cleanSteps), "")
	t.restoreDeploy()
	if manual || t.node.Retired {
		return t.process(onManage)
	}
	return t.process(onDone)
}
