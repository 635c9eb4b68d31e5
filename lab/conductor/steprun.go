package conductor

import (
	"context"
	"fmt"
	"slices"

	"ironworks/lab/db"
	"ironworks/python"
)

// target returns the target state of manual cleaning, or "" if the default target of the new state applies.
func (t *task) target(kind stepKind) string {
	if kind == cleanSteps && t.node.TargetProvisionState == manageable {
		return manageable
	}
	return ""
}

// steps returns the planned steps of the given kind.
func (t *task) steps(kind stepKind) []db.Dict { return dictsOf(t.internal(string(kind) + "_steps")) }

// guardSteps calls do and fails the operation if do returns an error. Such an error is unexpected, because the steps
// handle all expected errors themselves. Once ctx is done, errors are ignored (fail_on_error).
func (t *task) guardSteps(ctx context.Context, kind stepKind, do func() error) {
	if err := do(); err != nil && ctx.Err() == nil {
		t.failSteps(ctx, kind, fmt.Sprintf("Unexpected error when processing next %s step. %s: %s", kind, className(err), messageOf(err)), failing{})
	}
}

// stepsFrom runs the steps from the given index to the last one.
func (t *task) stepsFrom(ctx context.Context, kind stepKind, index int, noRamdisk bool) error {
	steps := t.steps(kind)
	for i := index; i < len(steps); i++ {
		step := steps[i]
		*kind.step(t.node) = step.Clone()
		t.setInternal(string(kind)+"_step_index", i)
		t.save()
		state, over, err := t.executeStep(ctx, kind, step)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("the conductor ends: %w", ctx.Err())
		case err != nil && kind == deploySteps:
			t.deployStepFailed(ctx, step, steps, err)
			return nil
		case err != nil:
			return t.stepError(ctx, kind, step, steps, noRamdisk, err)
		case over, kind == deploySteps && t.node.ProvisionState == deployFail:
			return nil
		case state == operations[kind].wait && state == t.node.ProvisionState:
			return nil
		case state == operations[kind].wait:
			return t.processTo(onWait, t.target(kind))
		case state != "":
			message := fmt.Sprintf("While executing step %s on node %s, step returned invalid value: %s", python.Repr(step), t.node.UUID, state)
			if kind == deploySteps {
				message = "Failed to deploy: " + python.Repr(t.node.DeployStep)
			}
			t.failSteps(ctx, kind, message, failing{})
			return nil
		}
	}
	switch kind {
	case cleanSteps:
		return t.cleaned(ctx, noRamdisk)
	case serviceSteps:
		return t.serviced(ctx, noRamdisk)
	default:
		return t.deployed(steps)
	}
}

// stepError handles the error of a clean or service step. The node waits for a busy agent or a reboot.
func (t *task) stepError(ctx context.Context, kind stepKind, step db.Dict, steps []db.Dict, noRamdisk bool, err error) error {
	if isKind(err, kindAgentConnection) && python.Truthy(t.internal(operations[kind].gerund+"_reboot")) || isKind(err, kindAgentInProgress) {
		t.setInternal("skip_current_"+string(kind)+"_step", false)
		return t.processTo(onWait, t.target(kind))
	}
	t.flowEnds(kind, steps, step.Text("step"))
	message := fmt.Sprintf("Node %s failed step %s: %s", t.node.UUID, python.Repr(*kind.step(t.node)), messageOf(err))
	if !noRamdisk {
		t.collectLogs(ctx, operations[kind].message)
	}
	t.failSteps(ctx, kind, message, failing{})
	return nil
}

// continueSteps runs the remaining steps after an asynchronous step or after the first heartbeat. If an abort was
// requested during the current step, it aborts the operation instead.
func (t *task) continueSteps(ctx context.Context, kind stepKind) {
	t.guardSteps(ctx, kind, func() error {
		if kind == deploySteps && !python.Truthy(t.internal("steps_validated")) {
			if err := t.checkFinalSteps(); err != nil {
				if !isIronic(err) {
					return err
				}
				t.failDeployment(ctx, fmt.Sprintf("Failed to validate the final deploy steps list for node %s: %s", t.node.UUID, messageOf(err)), true)
				return nil
			}
		}
		next := t.nextStep(kind)
		if python.Truthy((*kind.step(t.node))["abort_after"]) {
			if err := t.processTo(onFail, t.target(kind)); err != nil {
				return err
			}
			t.abortSteps(ctx, kind)
			return nil
		}
		return t.stepsFrom(ctx, kind, next, python.Truthy(t.internal(operations[kind].disabled)))
	})
}

// tearDownSteps makes the deploy interface undo what it did for the operation.
func (t *task) tearDownSteps(ctx context.Context, kind stepKind) error {
	if kind == deploySteps {
		return t.driver.deploy.cleanUp(ctx, t)
	}
	return t.driver.deploy.tearDownSteps(ctx, t, kind)
}

// abortError implements get_last_error.
func (t *task) abortError(kind stepKind) string {
	message := fmt.Sprintf("By request, the %s operation was aborted", kind)
	if step := *kind.step(t.node); len(step) > 0 {
		message += fmt.Sprintf(" during or after the completion of step \"%s\"", stepID(step))
	}
	return message
}

// abortSteps implements do_node_deploy_abort, do_node_clean_abort and do_node_service_abort.
func (t *task) abortSteps(ctx context.Context, kind stepKind) {
	undo, action := t.tearDownSteps, "tear down cleaning"
	switch kind {
	case deploySteps:
		action = "clean up deploying"
	case serviceSteps:
		undo, action = t.tearDownAbortedService, "tear down service"
	case cleanSteps:
	}
	if err := undo(ctx, kind); err != nil {
		t.failSteps(ctx, kind, "Failed to "+action+" after aborting the operation", failing{keep: true, noChange: true})
		return
	}
	t.node.LastError = t.abortError(kind)
	*kind.step(t.node) = nil
	if kind == deploySteps {
		t.node.DeployStep = db.Dict{}
	}
	t.wipeSteps(kind)
	t.save()
	if kind != deploySteps {
		t.restoreDeploy()
	}
}

// failing holds the options of failSteps.
type failing struct {
	keep     bool // do not tear down the operation
	noChange bool // do not change the provision state, because the node has already failed
}

// failSteps implements cleaning_error_handler and servicing_error_handler, and calls failDeployment for a deployment.
// If a step has started, the node goes into maintenance, because its disks may be partly erased.
func (t *task) failSteps(ctx context.Context, kind stepKind, message string, how failing) {
	if kind == deploySteps {
		t.failDeployment(ctx, message, !how.keep)
		return
	}
	op, started := operations[kind], len(*kind.step(t.node)) > 0
	if started {
		t.node.Fault, t.node.Maintenance = op.fault, true
	}
	if !how.keep {
		switch err := t.tearDownSteps(ctx, kind); {
		case err == nil:
		case kind == cleanSteps:
			message += fmt.Sprintf(". Also Failed to tear down cleaning on node %s, reason: %s", t.node.UUID, messageOf(err))
		default:
			message += ". Also failed to tear down servicing."
		}
	}
	if slices.Contains([]string{op.working, op.wait, op.failed}, t.node.ProvisionState) {
		*kind.step(t.node) = db.Dict{}
		t.dropInternal(string(kind) + "_step_index")
		t.dropInternal(stepFlags...)
		t.wipeAgent()
	}
	target := t.target(kind)
	t.record(message, op.history, true)
	if t.node.MaintenanceReason == "" && started {
		t.node.MaintenanceReason = message
	}
	t.save()
	t.restoreDeploy()
	if !how.noChange && t.node.ProvisionState != op.failed {
		_ = t.processTo(onFail, target)
	}
}

// heartbeatInSteps starts the steps at the first heartbeat and continues them at later ones.
func (t *task) heartbeatInSteps(ctx context.Context, kind stepKind) {
	op := operations[kind]
	doing := "Failed checking if " + op.message + " is done"
	err := func() error {
		t.touch()
		if len(*kind.step(t.node)) > 0 {
			doing = "Node failed to check " + op.message + " progress"
			if python.Truthy(t.internal(op.gerund + "_polling")) {
				return nil
			}
			return t.processNextStep(ctx, kind)
		}
		doing = "Node failed to start the first " + op.message + " step"
		if err := t.processTo(onResume, t.target(kind)); err != nil {
			return err
		}
		if err := t.refreshSteps(ctx, kind); err != nil {
			return err
		}
		plan := func() error { return t.planCleaning(false, python.Truthy(t.internal("declarative_cleaning"))) }
		if kind == serviceSteps {
			plan = func() error { return t.planService(false) }
		}
		if err := plan(); err != nil {
			return err
		}
		t.continueSteps(ctx, kind)
		return nil
	}()
	if err != nil && ctx.Err() == nil && (t.node.ProvisionState == op.working || t.node.ProvisionState == op.wait) {
		t.failSteps(ctx, kind, doing+": "+messageOf(err), failing{})
	}
}

// stepFlagSet holds the flags of an asynchronous step. A nil flag leaves the stored flag unchanged, except that a nil
// polling flag removes it (set_node_flags in ironic/common/async_steps.py).
type stepFlagSet struct {
	reboot               bool
	skipCurrent, polling *bool
}

// currentKind returns the kind of the current step, or deploySteps if the node has no current step.
func (t *task) currentKind() stepKind {
	switch {
	case len(t.node.CleanStep) > 0:
		return cleanSteps
	case len(t.node.ServiceStep) > 0:
		return serviceSteps
	default:
		return deploySteps
	}
}

func (t *task) setStepFlags(flags stepFlagSet) {
	kind := t.currentKind()
	t.setInternal(operations[kind].gerund+"_reboot", flags.reboot)
	if flags.reboot && !python.Truthy(t.internal("agent_secret_token_pregenerated")) {
		t.dropInternal("agent_secret_token")
	}
	if flags.skipCurrent != nil {
		t.setInternal("skip_current_"+string(kind)+"_step", *flags.skipCurrent)
	}
	if flags.polling != nil {
		t.setInternal(operations[kind].gerund+"_polling", *flags.polling)
	} else {
		t.dropInternal(operations[kind].gerund + "_polling")
	}
	t.save()
}

// ramdiskDisabled implements is_ramdisk_disabled (ironic/drivers/modules/deploy_utils.py).
func (t *task) ramdiskDisabled() bool {
	return python.Truthy(t.internal(operations[t.currentKind()].disabled))
}

// rebootToFinishStep reboots the machine, into the agent unless the ramdisk is disabled, and returns the wait state.
func (t *task) rebootToFinishStep(ctx context.Context) (string, error) {
	if !t.ramdiskDisabled() {
		if err := t.prepareAgentBoot(ctx); err != nil {
			return "", err
		}
	}
	if err := t.setPower(ctx, reboot); err != nil {
		return "", err
	}
	return operations[t.currentKind()].wait, nil
}

// forEach calls do with a task for each unlocked node that matches, and still does so when the task has been acquired.
// It skips nodes that have been locked in the meantime, and ignores the errors of do.
func (c *Conductor) forEach(ctx context.Context, how locking, matches func(*db.Node) bool, do func(*task, context.Context) error) {
	for _, node := range c.tables.Nodes.List(func(n *db.Node) bool { return n.Reservation == "" && matches(n) }) {
		if ctx.Err() != nil {
			return
		}
		_ = c.withTask(ctx, node.UUID, how, func(ctx context.Context, t *task) error {
			if !matches(t.node) {
				return nil
			}
			return do(t, ctx)
		})
	}
}

// resumeStep releases the lock and makes a worker continue after the current step, or repeat a step that must not be
// skipped (continue_node_clean and similar functions in ironic/conductor/manager.py).
func (t *task) resumeStep(ctx context.Context) error {
	kind := t.currentKind()
	t.release()
	return t.c.withTask(ctx, t.node.UUID, locking{untilFree: true}, func(_ context.Context, t *task) error {
		if t.node.ProvisionState != operations[kind].wait {
			return fmt.Errorf("resuming node %s: it is in state %s", t.node.UUID, t.node.ProvisionState)
		}
		if err := t.processTo(onResume, t.target(kind)); err != nil {
			return err
		}
		t.worker("continue_node_"+string(kind), func(t *task, ctx context.Context) { t.continueSteps(ctx, kind) })
		return nil
	})
}
