package conductor

import (
	"context"
	"time"

	"ironworks/lab/api"
	"ironworks/lab/db"
)

// fakePower implements the fake power interface, for nodes without a machine.
type fakePower struct{}

func (fakePower) state(_ context.Context, t *task) (string, error) { return t.node.PowerState, nil }

func (fakePower) set(_ context.Context, t *task, change string, _ time.Duration) error {
	t.node.PowerState = change
	return nil
}

func (fakePower) reboot(context.Context, *task, time.Duration) error { return nil }

type fakeBoot struct{}

func (fakeBoot) validate(context.Context, *task) error { return nil }
func (fakeBoot) validateInspection(t *task) error {
	return unsupported(t.node.Driver, "validate_inspection")
}

func (fakeBoot) validateRescue(t *task) error                 { return unsupported(t.node.Driver, "validate_rescue") }
func (fakeBoot) prepareRamdisk(context.Context, *task) error  { return nil }
func (fakeBoot) cleanUpRamdisk(context.Context, *task) error  { return nil }
func (fakeBoot) prepareInstance(context.Context, *task) error { return nil }
func (fakeBoot) cleanUpInstance(context.Context, *task) error { return nil }

// fakeDeploy deploys immediately without writing anything.
type fakeDeploy struct{}

func (fakeDeploy) validate(context.Context, *task) error { return nil }
func (fakeDeploy) prepare(context.Context, *task) error  { return nil }
func (fakeDeploy) cleanUp(context.Context, *task) error  { return nil }
func (fakeDeploy) tearDown(context.Context, *task) error { return nil }

func (fakeDeploy) prepareSteps(context.Context, *task, stepKind) (string, error) { return "", nil }
func (fakeDeploy) tearDownSteps(context.Context, *task, stepKind) error          { return nil }
func (fakeDeploy) heartbeat(context.Context, *task, api.Heartbeat)               {}

var fakeSteps = []step{{name: "deploy", deploy: &offer{priority: 100, abortable: true}, do: noEffect}}

func (fakeDeploy) steps(_ *task, kind stepKind) []db.Dict { return describe("deploy", fakeSteps, kind) }

func (fakeDeploy) execute(_ context.Context, _ *task, _ stepKind, step db.Dict) (string, error) {
	if step.Text("step") != "deploy" {
		return "", noSuchStep("deploy", "fake", step)
	}
	return "", nil
}
