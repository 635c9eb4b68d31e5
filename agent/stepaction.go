package agent

import (
	"context"
	"errors"
	"slices"
	"time"

	"ironworks/python"
)

// stepActions returns the two commands of a phase: one lists its steps, and the other executes a step.
func (a *agent) stepActions(p phase) map[string]action {
	return map[string]action{
		"get_" + p.name + "_steps": {do: func(_ context.Context, params *dict) (any, error) {
			node := params.Dict("node")
			if node == nil {
				return nil, newFault(commandExecution, "get_%s_steps() missing 1 required positional argument: 'node'", p.name)
			}
			a.cacheNode(node)
			return newDict(p.name+"_steps", a.listSteps(p), "hardware_manager_version", a.options.generation().managerVersions()), nil
		}},
		"execute_" + p.name + "_step": {background: true, do: func(ctx context.Context, params *dict) (any, error) {
			return a.executeStep(ctx, p, params)
		}},
	}
}

func (a *agent) executeStep(ctx context.Context, p phase, params *dict) (any, error) {
	node, asked := params.Dict("node"), params.Dict("step")
	if node == nil || asked == nil {
		return nil, newFault(commandExecution, "execute_%s_step() missing required arguments: 'step' and 'node'", p.name)
	}
	a.log.deploy.debug("Executing %s step %s", p.name, python.Repr(asked))
	a.cacheNode(node)
	a.ports = params.Get("ports")
	// If the conductor sends no version, it has not requested the steps yet.
	if sent := params.Get(p.name + "_version"); sent != nil && !a.options.generation().sameVersions(sent) {
		a.log.hardware.warning("Mismatched hardware managers versions. Agent version: %s, node version: %s", python.Repr(a.options.generation().managerVersions()), python.Repr(sent))
		return nil, newFault(versionMismatch, "Current versions: %s, versions used by ironic: %s", python.Repr(a.options.generation().managerVersions()), python.Repr(sent))
	}
	if !asked.Has("step") {
		return nil, newFault(commandExecution, `Malformed %s_step, no "step" key: %s`, p.name, python.Repr(asked))
	}
	name := asked.Text("step")
	result, err := a.withFaults(ctx, p, name, node, func(ctx context.Context) (any, error) {
		return a.guarded(func() (any, error) { return a.dispatch(ctx, name, node, stepArgs(params, asked, p)) })
	})
	if f, ok := errors.AsType[*fault](err); ok {
		a.log.deploy.error("Error performing %s step %s: %s", p.name, name, f)
		return nil, f
	}
	if err != nil {
		class := "RuntimeError"
		if e, ok := errors.AsType[*exception](err); ok {
			class = e.Class
		}
		f := newFault(p.failure, "Unexpected exception performing %s step %s. %s: %v", p.name, name, class, err)
		a.log.deploy.error("%s", f.Details)
		return nil, f
	}
	a.log.deploy.info("%s step completed: %s, result: %s", p.title, python.Repr(asked), python.Repr(result))
	return newDict(p.name+"_result", result, p.name+"_step", asked), nil
}

// stepArgs returns all arguments of a step except the node and its ports.
func stepArgs(params, asked *dict, p phase) *dict {
	args := newDict()
	for _, key := range params.Keys() {
		if !slices.Contains([]string{"step", "node", "ports", p.name + "_version"}, key) {
			args.Set(key, params.Get(key))
		}
	}
	if given := asked.Dict("args"); given != nil {
		for _, key := range given.Keys() {
			args.Set(key, given.Get(key))
		}
	}
	return args
}

// dispatch runs the step with the given name. Like the real agent, it finds steps of any phase.
func (a *agent) dispatch(ctx context.Context, name string, node, args *dict) (any, error) {
	for _, s := range a.options.steps() {
		if s.name != name {
			continue
		}
		for _, key := range args.Keys() {
			if !s.takes(key) {
				return nil, raise("TypeError", "%s.%s() got an unexpected keyword argument '%s'", s.manager.class, name, key)
			}
		}
		return s.do(a, ctx, node, args)
	}
	return nil, newFault(methodNotFound, "Could not find method: %s", name)
}

// withFaults runs a step and applies the configured [Faults] to it.
func (a *agent) withFaults(ctx context.Context, p phase, name string, node *dict, do func(context.Context) (any, error)) (any, error) {
	faults := a.options.Faults
	if faults.StepDelay > 0 && !a.sleep(ctx, faults.StepDelay) {
		return nil, ctx.Err()
	}
	switch name {
	case faults.FailStep:
		if faults.FailDisk != "" {
			disks, err := a.erasable(ctx, node)
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(disks, func(d Disk) bool { return d.Name == faults.FailDisk }) {
				return do(ctx)
			}
		}
		return nil, newFault(p.failure, "%s", faults.FailMessage)
	case faults.DieInStep:
		return nil, a.dieIn(ctx, do)
	}
	return do(ctx)
}

// dieIn runs a step and then makes the agent die. The step takes effect, but the conductor learns no result.
func (a *agent) dieIn(ctx context.Context, do func(context.Context) (any, error)) error {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	a.runningCommands.Go(func() {
		defer cancel()
		select {
		case <-ctx.Done():
		case <-time.After(max(a.scale(a.options.Faults.DieAfter), minShutdown)):
		}
	})
	_, _ = do(short)
	<-short.Done() // if the step has ended early, wait until it is time to die
	a.requestEnd(endByDeath)
	<-ctx.Done()
	return ctx.Err()
}
