package conductor

import (
	"context"
	"fmt"
	"slices"

	"ironworks/lab/db"
	"ironworks/python"
)

// stepRun holds the names, states and functions in which cleaning and servicing differ. Apart from these, both run
// their steps with the same code.
type stepRun struct {
	messageName, historyName string // the operation's name in messages and in the history
	fault                    string
	states                   []string // the provision states for working, waiting and failed
	tearDown                 func(ctx context.Context, t *task) error
	alsoFailed               func(t *task, err error) string // returns the text to append to the message if tearDown fails, too
	end                      func(t *task, ctx context.Context, noRamdisk bool) error
	abort                    func(t *task, ctx context.Context)
}

func (k stepKind) run() stepRun {
	if k == cleanSteps {
		return stepRun{
			messageName: "cleaning", historyName: "cleaning", fault: faultClean, states: []string{cleaning, cleanWait, cleanFail},
			tearDown: func(ctx context.Context, t *task) error { return t.driver.deploy.tearDownCleaning(ctx, t) },
			alsoFailed: func(t *task, err error) string {
				return fmt.Sprintf(". Also Failed to tear down cleaning on node %s, reason: %s", t.node.UUID, messageOf(err))
			},
			end: (*task).cleaned, abort: (*task).abortCleaning,
		}
	}
	return stepRun{
		messageName: "service", historyName: "servicing", fault: faultService, states: []string{servicing, serviceWait, serviceFail},
		tearDown:   func(ctx context.Context, t *task) error { return t.driver.deploy.tearDownService(ctx, t) },
		alsoFailed: func(*task, error) string { return ". Also failed to tear down servicing." },
		end:        (*task).serviced, abort: (*task).abortService,
	}
}

// target returns the target state of manual cleaning, or "" if the default target of the new state applies.
func (t *task) target(kind stepKind) string {
	if kind == cleanSteps && t.node.TargetProvisionState == manageable {
		return manageable
	}
	return ""
}

func (t *task) flowOf(kind stepKind) flow {
	if kind == cleanSteps {
		return cleaningFlow(t.node.TargetProvisionState == manageable)
	}
	return servicingFlow
}

// guardSteps calls do and fails the operation if do returns an error. Such an error is unexpected, because the steps
// handle all expected errors themselves. Once ctx is done, errors are ignored.
func (t *task) guardSteps(ctx context.Context, kind stepKind, do func() error) {
	if err := do(); err != nil && ctx.Err() == nil {
		t.failSteps(ctx, kind, fmt.Sprintf("Unexpected error when processing next %s step. %s: %s", kind, className(err), messageOf(err)), failing{})
	}
}

// stepsFrom runs the steps from the given index to the last one. An index of -1 means that all steps are done.
func (t *task) stepsFrom(ctx context.Context, kind stepKind, index int, noRamdisk bool) error {
	run, current := kind.run(), t.flowOf(kind)
	steps := dictsOf(t.internal(string(kind) + "_steps"))
	for i := index; index >= 0 && i < len(steps); i++ {
		step := steps[i]
		*kind.step(t.node) = step.Clone()
		t.setInternal(string(kind)+"_step_index", i)
		t.save()
		state, over, err := t.executeStep(ctx, kind, step)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("the conductor ends: %w", ctx.Err())
		case isKind(err, kindAgentConnection) && python.Truthy(t.internal(kind.gerund()+"_reboot")), isKind(err, kindAgentInProgress):
			t.setInternal("skip_current_"+string(kind)+"_step", false)
			return t.processTo(onWait, t.target(kind))
		case err != nil:
			t.flowEnds(current, steps, step.Text("step"))
			message := fmt.Sprintf("Node %s failed step %s: %s", t.node.UUID, python.Repr(*kind.step(t.node)), messageOf(err))
			if !noRamdisk {
				t.collectLogs(ctx, run.messageName)
			}
			t.failSteps(ctx, kind, message, failing{})
			return nil
		case over:
			return nil
		case state == kind.waits():
			return t.processTo(onWait, t.target(kind))
		case state != "":
			t.failSteps(ctx, kind, fmt.Sprintf("While executing step %s on node %s, step returned invalid value: %s", python.Repr(step), t.node.UUID, state), failing{})
			return nil
		}
	}
	return run.end(t, ctx, noRamdisk)
}

// continueSteps runs the remaining steps, or aborts the operation if that was requested during the current step.
func (t *task) continueSteps(ctx context.Context, kind stepKind) {
	t.guardSteps(ctx, kind, func() error {
		next := t.nextStep(kind)
		if python.Truthy((*kind.step(t.node))["abort_after"]) {
			if err := t.processTo(onFail, t.target(kind)); err != nil {
				return err
			}
			kind.run().abort(t, ctx)
			return nil
		}
		disabled := map[stepKind]string{cleanSteps: "cleaning_disable_ramdisk", serviceSteps: "service_disable_ramdisk"}[kind]
		return t.stepsFrom(ctx, kind, next, python.Truthy(t.internal(disabled)))
	})
}

// failing holds the options of failSteps.
type failing struct {
	keep     bool // do not tear down the operation
	noChange bool // do not change the provision state, because the node has already failed
}

// failSteps implements cleaning_error_handler and servicing_error_handler. If a step has started, the node goes into
// maintenance, because its disks may be partly erased.
func (t *task) failSteps(ctx context.Context, kind stepKind, message string, how failing) {
	run, started := kind.run(), len(*kind.step(t.node)) > 0
	if started {
		t.node.Fault, t.node.Maintenance = run.fault, true
	}
	if !how.keep {
		if err := run.tearDown(ctx, t); err != nil {
			message += run.alsoFailed(t, err)
		}
	}
	if slices.Contains(run.states, t.node.ProvisionState) {
		*kind.step(t.node) = db.Dict{}
		t.dropInternal(string(kind) + "_step_index")
		t.dropInternal(stepFlags...)
		t.wipeAgent()
	}
	target := t.target(kind)
	t.record(message, run.historyName, true)
	if t.node.MaintenanceReason == "" && started {
		t.node.MaintenanceReason = message
	}
	t.save()
	t.restoreDeploy()
	if !how.noChange && t.node.ProvisionState != run.states[2] {
		_ = t.processTo(onFail, target)
	}
}

// heartbeatInSteps handles an agent's heartbeat: it starts the steps at the first heartbeat and continues them at
// later ones.
func (t *task) heartbeatInSteps(ctx context.Context, kind stepKind) {
	run := kind.run()
	doing := "Failed checking if " + run.messageName + " is done"
	err := func() error {
		t.touch()
		if len(*kind.step(t.node)) > 0 {
			doing = "Node failed to check " + run.messageName + " progress"
			if python.Truthy(t.internal(kind.gerund() + "_polling")) {
				return nil
			}
			return t.processNextStep(ctx, kind)
		}
		doing = "Node failed to start the first " + run.messageName + " step"
		if err := t.processTo(onResume, t.target(kind)); err != nil {
			return err
		}
		if err := t.refreshSteps(ctx, kind); err != nil {
			return err
		}
		if err := t.planSteps(kind); err != nil {
			return err
		}
		t.continueSteps(ctx, kind)
		return nil
	}()
	if err != nil && ctx.Err() == nil && slices.Contains(run.states[:2], t.node.ProvisionState) {
		t.failSteps(ctx, kind, doing+": "+messageOf(err), failing{})
	}
}

// planSteps plans the operation's steps again, including those that the agent has reported in the meantime.
func (t *task) planSteps(kind stepKind) error {
	if kind == cleanSteps {
		return t.planCleaning(false, python.Truthy(t.internal("declarative_cleaning")))
	}
	return t.planService(false)
}
