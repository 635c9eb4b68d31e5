package conductor

import (
	"context"
	"fmt"

	"ironworks/lab/db"
	"ironworks/python"
)

// Service starts running the given service steps on a node that is in use.
func (c *Conductor) Service(ctx context.Context, uuid string, steps []db.Dict, disableRamdisk bool) error {
	return c.withTask(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		if t.node.Maintenance {
			return inMaintenance("service", t.node.UUID)
		}
		if err := t.validateRedfish("power"); err != nil {
			return invalid("Validation of node %s for servicing failed: %s", t.node.UUID, messageOf(err))
		}
		return t.begin(onService, active, "do_node_service", func(t *task, ctx context.Context) error {
			return t.service(ctx, steps, disableRamdisk)
		})
	})
}

// service implements do_node_service.
func (t *task) service(ctx context.Context, given []db.Dict, noRamdisk bool) error {
	if err := t.switchDeploy(); err != nil {
		t.failSteps(ctx, serviceSteps, fmt.Sprintf("Failed to select a deploy interface for servicing node %s: %s", t.node.UUID, messageOf(err)), failing{keep: true})
		return nil
	}
	if err := t.checkPowerAndNetwork(noRamdisk); err != nil {
		t.failSteps(ctx, serviceSteps, fmt.Sprintf("Validation of node %s for service failed: %s", t.node.UUID, messageOf(err)), failing{})
		return nil
	}
	t.wipeSteps(serviceSteps)
	t.setInternal("service_steps", listOf(given))
	t.setInternal("service_disable_ramdisk", nil) // null, because by default the API passes no value
	if noRamdisk {
		t.setInternal("service_disable_ramdisk", true)
	}
	t.save()
	t.updateCache(ctx)
	ramdisk := false
	if err := t.planService(noRamdisk); err != nil {
		switch {
		case isInvalid(err) && noRamdisk:
			return err
		case isInvalid(err):
			ramdisk = true // the agent may provide an unknown step
		default:
			t.failSteps(ctx, serviceSteps, fmt.Sprintf("Cannot service node %s: %s", t.node.UUID, messageOf(err)), failing{})
			return nil
		}
	}
	steps := t.steps(serviceSteps)
	t.flowStarts(serviceSteps, steps)
	for _, step := range steps {
		ramdisk = ramdisk || python.Truthy(step["requires_ramdisk"])
	}
	if ramdisk && !noRamdisk {
		state, err := t.driver.deploy.prepareSteps(ctx, t, serviceSteps)
		if err != nil {
			t.failSteps(ctx, serviceSteps, fmt.Sprintf("Failed to prepare node %s for service: %s", t.node.UUID, messageOf(err)), failing{})
			return nil
		}
		if state == serviceWait {
			return t.process(onWait)
		}
	} else {
		noRamdisk = true
		t.setInternal("service_disable_ramdisk", true)
		t.save()
	}
	t.guardSteps(ctx, serviceSteps, func() error { return t.stepsFrom(ctx, serviceSteps, 0, noRamdisk) })
	return nil
}

// serviced finishes a servicing operation whose steps have all succeeded.
func (t *task) serviced(ctx context.Context, noRamdisk bool) error {
	// As in Ironic, the agent's token is removed before the agent's logs are requested.
	t.wipeSteps(serviceSteps)
	if t.c.options.LogsCollect == "always" && !noRamdisk {
		t.collectLogs(ctx, "service")
	}
	t.node.ServiceStep = nil
	t.save()
	t.flowEnds(serviceSteps, t.steps(serviceSteps), "")
	if !noRamdisk {
		if err := t.driver.deploy.tearDownSteps(ctx, t, serviceSteps); err != nil {
			t.failSteps(ctx, serviceSteps, fmt.Sprintf("Failed to tear down from service for node %s, reason: %s", t.node.UUID, messageOf(err)), failing{keep: true})
			return nil
		}
	}
	t.updateCache(ctx)
	t.restoreDeploy()
	return t.process(onDone)
}

// tearDownAbortedService tears down aborted servicing, and restarts the instance if the agent was started.
func (t *task) tearDownAbortedService(ctx context.Context, kind stepKind) error {
	attempted := python.Truthy(t.internal("agent_start_attempted"))
	if attempted {
		if err := t.driver.power.set(ctx, t, powerOff, 0); err != nil {
			return err
		}
	}
	if err := t.tearDownSteps(ctx, kind); err != nil || !attempted {
		return err
	}
	if err := t.driver.boot.prepareInstance(ctx, t); err != nil {
		return err
	}
	return t.driver.power.set(ctx, t, powerOn, 0)
}
