package conductor

import (
	"context"
	"fmt"

	"ironworks/lab/db"
	"ironworks/python"
)

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
// It skips nodes that have been locked in the meantime. It ends early if no worker is free.
func (c *Conductor) forEach(ctx context.Context, how locking, matches func(*db.Node) bool, do func(*task, context.Context) error) {
	for _, node := range c.tables.Nodes.List(func(n *db.Node) bool { return n.Reservation == "" && matches(n) }) {
		err := c.withTask(ctx, node.UUID, how, func(ctx context.Context, t *task) error {
			if !matches(t.node) {
				return nil
			}
			return do(t, ctx)
		})
		if ctx.Err() != nil || isKind(err, kindNoWorker) {
			return
		}
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
