package agent

import (
	"context"
	"time"
)

const (
	assistedUnit  = "agent.service"
	assistedFirst = time.Second
	assistedEvery = 15 * time.Second
)

// startAssistedInstall starts the assisted installer's agent and waits until
// it has ended.
func (a *agent) startAssistedInstall(ctx context.Context, _, _ *dict) (any, error) {
	active, err := a.assistedActive(ctx)
	if err != nil {
		return nil, err
	}
	if active {
		a.log.coreos.error("Assisted Installer Agent should not be active at this stage")
	}
	if err := a.hardware.StartUnit(ctx, assistedUnit); err != nil {
		return nil, raise("DBusException", "%v", err)
	}
	a.log.coreos.info("Triggered installation via the assisted agent")
	for pause := assistedFirst; ; pause = assistedEvery {
		if !a.sleep(ctx, pause) {
			return nil, ctx.Err()
		}
		active, err := a.assistedActive(ctx)
		if err != nil {
			return nil, err
		}
		if !active {
			break
		}
		a.log.coreos.debug("Still waiting for the assisted agent to finish")
	}
	a.log.coreos.info("Succesfully installed using the assisted agent") //nolint:misspell // word for word
	return nil, nil
}

func (a *agent) assistedActive(ctx context.Context) (bool, error) {
	state, err := a.hardware.UnitState(ctx, assistedUnit)
	if err != nil {
		return false, raise("DBusException", "%v", err)
	}
	a.log.coreos.debug("Assisted Agent is in state %s (result %s)", state.Active, state.Result)
	switch state.Active {
	case "failed":
		return false, newFault(deploymentError, `Assisted Installer Agent has failed with result "%s". Check the ramdisk logs for more details.`, state.Result)
	case "activating", "active":
		return true, nil
	}
	return false, nil
}
