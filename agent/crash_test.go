package agent

import (
	"context"
	"strings"
	"testing"
)

// brittle is hardware whose driver has a bug.
type brittle struct{ Hardware }

func (brittle) BlockDevices(context.Context) ([]Disk, error) { panic("index out of range") }

// TestCrashIsAFailureWithAReason checks that a crash in a step fails that step, and that the agent then works on.
func TestCrashIsAFailureWithAReason(t *testing.T) {
	a := newWorkbench(t).agent(Options{})
	a.hardware = brittle{a.hardware}
	_, f := runStep(t, a, deploying, "erase_devices_metadata", nodeOf(t, "", "{}"), newDict())
	if f == nil || f.Type != deploymentError || !strings.Contains(f.Details, "the agent crashed: index out of range") {
		t.Errorf("the step ended with %+v", f)
	}
	if text := a.journal.text(); !strings.Contains(text, "crash_test.go") {
		t.Errorf("the journal lacks the stack:\n%s", text)
	}
}
