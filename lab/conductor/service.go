package conductor

import (
	"context"
	"fmt"
	"slices"

	"ironworks/lab/db"
	"ironworks/lab/python"
)

// Service begins to service a node that is in use.
func (c *Conductor) Service(ctx context.Context, uuid string, steps []db.Dict, disableRamdisk bool) error {
	return c.with(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		if t.node.Maintenance {
			return inMaintenance("service", t.node.UUID)
		}
		if err := t.driver.power.validate(t); err != nil {
			if !isInvalid(err) {
				return err
			}
			return invalid("Validation of node %s for servicing failed: %s", t.node.UUID, text(err))
		}
		if err := t.start(onService, active, ""); err != nil {
			return invalidRequest("service", t.node.UUID, t.node.ProvisionState)
		}
		t.then("do_node_service", func(ctx context.Context, t *task) error { return t.service(ctx, steps, disableRamdisk) })
		return nil
	})
}

// service is do_node_service.
func (t *task) service(ctx context.Context, given []db.Dict, noRamdisk bool) error {
	if err := t.switchDeploy(); err != nil {
		t.failService(ctx, fmt.Sprintf("Failed to select a deploy interface for servicing node %s: %s", t.node.UUID, text(err)), serviceFailure{keep: true})
		return nil
	}
	if err := t.checkPowerAndNetwork(noRamdisk); err != nil {
		t.failService(ctx, fmt.Sprintf("Validation of node %s for service failed: %s", t.node.UUID, text(err)), serviceFailure{})
		return nil
	}
	t.wipeSteps(serviceSteps)
	t.setInternal("service_steps", listOf(given))
	t.setInternal("service_disable_ramdisk", nil) // the API leaves out what was not asked for
	if noRamdisk {
		t.setInternal("service_disable_ramdisk", true)
	}
	if err := t.save(); err != nil {
		return err
	}
	t.updateCache(ctx)
	ramdisk := false
	if err := t.planService(noRamdisk); err != nil {
		switch {
		case isInvalid(err) && noRamdisk:
			return err
		case isInvalid(err):
			ramdisk = true // the agent may know the step
		default:
			t.failService(ctx, fmt.Sprintf("Cannot service node %s: %s", t.node.UUID, text(err)), serviceFailure{})
			return nil
		}
	}
	steps := dictsOf(t.internal("service_steps"))
	t.flowStarts(servicingFlow, steps)
	first := -1
	if len(steps) > 0 {
		first = 0
	}
	for _, step := range steps {
		ramdisk = ramdisk || python.Truthy(step["requires_ramdisk"])
	}
	if ramdisk && !noRamdisk {
		state, err := t.driver.deploy.prepareService(ctx, t)
		if err != nil {
			t.failService(ctx, fmt.Sprintf("Failed to prepare node %s for service: %s", t.node.UUID, text(err)), serviceFailure{})
			return nil
		}
		if state == serviceWait {
			return t.process(onWait)
		}
	} else {
		noRamdisk = true
		t.setInternal("service_disable_ramdisk", true)
		if err := t.save(); err != nil {
			return err
		}
	}
	t.guardService(ctx, func() error { return t.serviceFrom(ctx, first, noRamdisk) })
	return nil
}

func (t *task) guardService(ctx context.Context, do func() error) {
	if err := do(); err != nil && ctx.Err() == nil {
		t.failService(ctx, fmt.Sprintf("Unexpected error when processing next service step. %s: %s", className(err), text(err)), serviceFailure{})
	}
}

// serviceFrom runs the steps from one on; -1 is behind the last.
func (t *task) serviceFrom(ctx context.Context, index int, noRamdisk bool) error {
	steps := dictsOf(t.internal("service_steps"))
	for i := index; index >= 0 && i < len(steps); i++ {
		step := steps[i]
		t.node.ServiceStep = step.Clone()
		t.setInternal("service_step_index", i)
		if err := t.save(); err != nil {
			return err
		}
		state, over, err := t.executeStep(ctx, serviceSteps, step)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("the conductor ends: %w", ctx.Err())
		case isKind(err, kindAgentConnection) && python.Truthy(t.internal("servicing_reboot")), isKind(err, kindAgentInProgress):
			t.setInternal("skip_current_service_step", false)
			return t.process(onWait)
		case err != nil:
			t.flowEnds(servicingFlow, steps, step.Text("step"))
			message := fmt.Sprintf("Node %s failed step %s: %s", t.node.UUID, python.Repr(t.node.ServiceStep), text(err))
			if !noRamdisk {
				t.collectLogs(ctx, "service")
			}
			t.failService(ctx, message, serviceFailure{})
			return nil
		case over:
			return nil
		case state == serviceWait:
			return t.process(onWait)
		case state != "":
			t.failService(ctx, fmt.Sprintf("While executing step %s on node %s, step returned invalid value: %s", python.Repr(step), t.node.UUID, state), serviceFailure{})
			return nil
		}
	}
	// The agent's token goes before its logs are asked for, as in the real one.
	t.wipeSteps(serviceSteps)
	if t.c.options.LogsCollect == "always" && !noRamdisk {
		t.collectLogs(ctx, "service")
	}
	t.node.ServiceStep = nil
	if err := t.save(); err != nil {
		return err
	}
	t.flowEnds(servicingFlow, dictsOf(t.internal("service_steps")), "")
	if !noRamdisk {
		if err := t.driver.deploy.tearDownService(ctx, t); err != nil {
			t.failService(ctx, fmt.Sprintf("Failed to tear down from service for node %s, reason: %s", t.node.UUID, text(err)), serviceFailure{keep: true})
			return nil
		}
	}
	t.updateCache(ctx)
	if err := t.restoreDeploy(); err != nil {
		return err
	}
	return t.process(onDone)
}

// continueService goes on after a step.
func (t *task) continueService(ctx context.Context) {
	t.guardService(ctx, func() error {
		next := t.nextStep(serviceSteps)
		if python.Truthy(t.node.ServiceStep["abort_after"]) {
			if err := t.process(onFail); err != nil {
				return err
			}
			t.abortService(ctx)
			return nil
		}
		return t.serviceFrom(ctx, next, python.Truthy(t.internal("service_disable_ramdisk")))
	})
}

// serviceFailure is how a failure of service is handled.
type serviceFailure struct {
	keep     bool // what service has set up stays
	noChange bool // of the state: it has failed already
}

// failService is servicing_error_handler.
func (t *task) failService(ctx context.Context, message string, how serviceFailure) {
	started := len(t.node.ServiceStep) > 0
	if started {
		t.node.Fault, t.node.Maintenance = faultService, true
	}
	if !how.keep {
		if err := t.driver.deploy.tearDownService(ctx, t); err != nil {
			message += ". Also failed to tear down servicing."
		}
	}
	if slices.Contains([]string{servicing, serviceWait, serviceFail}, t.node.ProvisionState) {
		t.node.ServiceStep = db.Dict{}
		t.dropInternal("service_step_index")
		t.dropInternal(stepFlags...)
		t.wipeAgent()
	}
	t.record(message, "servicing", true)
	if t.node.MaintenanceReason == "" && started {
		t.node.MaintenanceReason = message
	}
	_ = t.save()
	_ = t.restoreDeploy()
	if !how.noChange && t.node.ProvisionState != serviceFail {
		_ = t.process(onFail)
	}
}

// abortService is do_node_service_abort.
func (t *task) abortService(ctx context.Context) {
	err := func() error {
		attempted := python.Truthy(t.internal("agent_start_attempted"))
		if attempted {
			if err := t.driver.power.set(ctx, t, powerOff, 0); err != nil {
				return err
			}
		}
		if err := t.driver.deploy.tearDownService(ctx, t); err != nil || !attempted {
			return err
		}
		if err := t.driver.boot.prepareInstance(ctx, t); err != nil {
			return err
		}
		return t.driver.power.set(ctx, t, powerOn, 0)
	}()
	if err != nil {
		t.failService(ctx, "Failed to tear down service after aborting the operation", serviceFailure{keep: true, noChange: true})
		return
	}
	t.node.LastError = "By request, the service operation was aborted"
	if len(t.node.ServiceStep) > 0 {
		t.node.LastError += fmt.Sprintf(" during or after the completion of step \"%s\"", stepID(t.node.ServiceStep))
	}
	t.node.ServiceStep = nil
	t.wipeSteps(serviceSteps)
	_ = t.save()
	_ = t.restoreDeploy()
}
