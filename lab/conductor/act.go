package conductor

import (
	"context"
	"fmt"
	"slices"

	"ironworks/lab/db"
	"ironworks/python"
)

// Act implements do_provisioning_action for the verbs manage, provide, abort, adopt and unhold.
func (c *Conductor) Act(ctx context.Context, uuid, verb string) error {
	return c.withTask(ctx, uuid, locking{}, func(ctx context.Context, t *task) error {
		state := t.node.ProvisionState
		switch {
		case verb == "provide" && state == manageable:
			return t.provide()
		case verb == "manage" && state == enroll:
			return t.begin(onManage, "", "do_node_verify", (*task).verify)
		case verb == "adopt" && (state == manageable || state == adoptFail):
			return t.begin(onAdopt, "", "_do_adoption", (*task).adopt)
		case verb == "abort" && slices.Contains([]string{cleanWait, rescueWait, inspectWait, cleanHold, deployWait, deployHold, serviceWait, serviceHold, serviceFail}, state):
			return t.abort(ctx)
		case verb == "unhold" && state == serviceHold:
			return t.begin(onUnhold, "", "continue_node_service", noError(func(t *task, ctx context.Context) {
				t.continueSteps(ctx, serviceSteps)
			}))
		}
		err := t.process(event(verb))
		if isKind(err, kindInvalidState) {
			return invalidRequest(verb, t.node.UUID, state)
		}
		return err
	})
}

// abort implements _do_abort.
func (t *task) abort(ctx context.Context) error {
	switch t.node.ProvisionState {
	case cleanWait, cleanHold:
		return t.abortRunning(cleanSteps)
	case serviceWait, serviceHold, serviceFail:
		return t.abortRunning(serviceSteps)
	case deployWait:
		return t.abortRunning(deploySteps)
	case deployHold:
		t.dropInternal("agent_url")
		return t.begin(onAbort, "", "_do_node_tear_down", func(t *task, ctx context.Context) error {
			return t.tearDown(ctx, deployFail)
		})
	case rescueWait:
		t.dropRescuePassword()
		return t.begin(onAbort, "", "_do_node_rescue_abort", noError((*task).abortRescue))
	default:
		return t.abortInspection(ctx)
	}
}

// abortRunning aborts the operation now, or after the current step if that must not be interrupted.
func (t *task) abortRunning(kind stepKind) error {
	failed := t.node.ProvisionState == serviceFail
	if step := *kind.step(t.node); !failed && len(step) > 0 && !python.Truthy(step["abortable"]) {
		step["abort_after"] = true
		t.save()
		return nil
	}
	lastError := ""
	switch {
	case kind == cleanSteps:
		lastError = t.abortError(cleanSteps)
	case kind == deploySteps:
		t.dropInternal("agent_url")
	case failed && t.node.Maintenance:
		return conflict(kindInvalidState, "Can not abort service on node \"%s\" while it is in maintenance mode. Please remove the node from maintenance prior to issuing the request to abort the service operation.", t.node.UUID)
	case !failed:
		if err := t.process(onFail); err != nil {
			return err
		}
	}
	if err := t.start(onAbort, t.target(kind), lastError); err != nil {
		return err
	}
	t.worker("do_node_"+string(kind)+"_abort", func(t *task, ctx context.Context) { t.abortSteps(ctx, kind) })
	return nil
}

// TearDown starts undeploying the node with the given UUID.
func (c *Conductor) TearDown(ctx context.Context, uuid string) error {
	if err := c.limit("unprovisioning"); err != nil {
		return err
	}
	return c.withTask(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		t.dropInternal("agent_url")
		if t.node.Protected {
			return protected(t.node.UUID)
		}
		if err := t.validateRedfish("power"); err != nil {
			return failure(kindDeployFailure, "Failed to validate power driver interface. Can not delete instance. Error: %s", messageOf(err))
		}
		before := t.node.ProvisionState
		return t.begin(onDelete, "", "_do_node_tear_down", func(t *task, ctx context.Context) error { return t.tearDown(ctx, before) })
	})
}

// tearDown implements _do_node_tear_down. It removes the instance data even if the driver fails.
func (t *task) tearDown(ctx context.Context, before string) error {
	err := func() error {
		if slices.Contains([]string{rescueWait, rescue, unrescueFail, rescueFail}, before) {
			if err := t.driver.rescue.cleanUp(ctx, t); err != nil {
				return err
			}
		}
		if err := t.switchDeploy(); err != nil {
			return err
		}
		if err := t.driver.deploy.cleanUp(ctx, t); err != nil {
			return err
		}
		return t.driver.deploy.tearDown(ctx, t)
	}()
	if ctx.Err() != nil {
		return fmt.Errorf("the conductor ends: %w", ctx.Err())
	}
	if err != nil {
		t.record("Failed to tear down: "+messageOf(err), "unprovision", true)
		_ = t.process(onFail)
	}
	t.node.InstanceInfo = db.Dict{}
	t.node.InstanceUUID, t.node.InstanceName = "", ""
	t.wipeSteps(deploySteps)
	t.dropInternal("instance", "root_uuid_or_disk_id", "is_whole_disk_image", "is_source_a_path", "deploy_boot_mode")
	if python.Truthy(t.internal("automatic_lessee")) {
		t.node.Lessee = ""
		t.dropInternal("automatic_lessee")
	}
	allocation := t.node.AllocationID
	t.save()
	if allocation != "" {
		_ = t.c.tables.Allocations.Destroy(allocation)
		t.refresh()
	}
	if err != nil {
		return err
	}
	if err := t.process(onClean); err != nil {
		return err
	}
	return t.clean(ctx, nil, false)
}

// verify implements do_node_verify.
func (t *task) verify(ctx context.Context) error {
	problem, state := "", ""
	if err := t.validateRedfish("power"); err != nil {
		problem = fmt.Sprintf("Failed to validate power driver interface for node %s. Error: %s", t.node.UUID, messageOf(err))
	} else if state, err = t.driver.power.state(ctx, t); err != nil {
		problem = fmt.Sprintf("Failed to get power state for node %s. Error: %s", t.node.UUID, messageOf(err))
	}
	if ctx.Err() != nil {
		return fmt.Errorf("the conductor ends: %w", ctx.Err())
	}
	if problem != "" {
		t.record(problem, "verify", true)
		return t.process(onFail)
	}
	t.updateCache(ctx)
	t.node.PowerState = state
	return t.process(onDone)
}

// adopt implements _do_adoption.
func (t *task) adopt(ctx context.Context) error {
	err := func() error {
		if _, err := t.storeImageType(); err != nil {
			return err
		}
		if bootOption(t.node) != "local" {
			if err := t.driver.boot.validate(ctx, t); err != nil {
				return err
			}
		}
		if err := t.switchDeploy(); err != nil {
			return err
		}
		if err := t.driver.deploy.prepare(ctx, t); err != nil {
			return err
		}
		t.save()
		return nil
	}()
	if err != nil {
		t.restoreDeploy()
		t.node.PowerState = ""
		t.record(fmt.Sprintf("Error while attempting to adopt node %s: %s.", t.node.UUID, messageOf(err)), "adoption", true)
		return t.process(onFail)
	}
	return t.process(onDone)
}
