package lab_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"ironworks/agent"
	"ironworks/lab"
	"ironworks/lab/machine"
)

// stepOf returns a step whose keys are in the order in which clients send them. Ironic keeps this order in its
// messages.
func stepOf(kind, name string) json.RawMessage {
	return json.RawMessage(`{"interface": "` + kind + `", "step": "` + name + `", "args": {}}`)
}

// serviceStep returns a service step without arguments that works. RAID steps do not work: for them, the newest
// Ironic asks the agent for a clean step that the agent does not have.
func serviceStep() json.RawMessage { return stepOf("deploy", "inject_files") }

func service(steps ...any) map[string]any {
	return map[string]any{"target": "service", "service_steps": steps}
}

func serviceCases() []testCase {
	fails := lab.Scenario{Name: "service-step-fails", Agent: agent.Faults{FailStep: "inject_files", FailMessage: "the disk is full"}}
	return []testCase{
		{member: lab.Member{Name: "service"}, newest: true, run: runService},
		{member: lab.Member{Name: "service-fails", Scenario: fails}, newest: true, run: runFailingService},
		{member: lab.Member{Name: "service-unknown"}, newest: true, run: runUnknownService},
	}
}

// runService runs a service step on an active machine.
func runService(n node) error {
	if err := n.runSteps(managed, provided, installed); err != nil {
		return err
	}
	if err := n.reach(service(serviceStep()), "active"); err != nil {
		return err
	}
	e, err := n.status()
	if err != nil {
		return err
	}
	if e.LastError != "" || e.Target != "" || e.Maintenance || len(e.ServiceStep) != 0 {
		return fmt.Errorf("machine %s: after the service Ironic shows %+v", n.Name(), e)
	}
	if err := errors.Join(n.checkJournal("Service step completed"), n.waitBooted(machine.Hdd), n.checkInstalled("/dev/sda", "CoreOS")); err != nil {
		return err
	}
	reasons, err := n.reasons()
	if err != nil || reasons != "" {
		return errors.Join(fmt.Errorf("machine %s: succeeded but has the error %q", n.Name(), reasons), err)
	}
	return nil
}

// runFailingService runs a service step that fails, and aborts the service.
func runFailingService(n node) error {
	if err := n.runSteps(managed, adopted); err != nil {
		return err
	}
	const reason = `Service step deploy.inject_files failed on node .* the disk is full`
	if err := n.expectFailure(service(serviceStep()), "service failed", reason); err != nil {
		return err
	}
	e, err := n.status()
	if err != nil {
		return err
	}
	// The conductor handles the failure like that of a deployment: the step stays, and the node is not put into
	// maintenance.
	if e.LastError != "" || e.Target != "active" || e.Power != "power off" || e.Maintenance || e.ServiceStep["step"] != "inject_files" {
		return fmt.Errorf("machine %s: after the failed service Ironic shows %+v", n.Name(), e)
	}
	// Abort returns the node to active.
	return n.reach(target("abort"), "active")
}

func runUnknownService(n node) error {
	if err := n.runSteps(managed, adopted); err != nil {
		return err
	}
	return n.expectFailure(service(map[string]any{"interface": "deploy", "step": "no_such_step", "args": map[string]any{}}), "service failed", "node does not support this service step: .*no_such_step")
}
