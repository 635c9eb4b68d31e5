package machines_test

import (
	"slices"
	"testing"

	"ironworks/test/contract"
	"ironworks/test/contract/machines"
	"ironworks/test/ironic"
)

func TestMain(m *testing.M) { contract.Main(m, 12) }

// everyTime lists the behaviors that every run checks with real Ironics. The list is short because each machine takes
// 10 s of processor time; make test-long checks all behaviors.
var everyTime = []string{"verified", "secure-boot-changes", "inspected-by-the-agent", "while-a-step-runs", "no-disk-matches"}

// TestMachines runs the behaviors in everyTime against both releases or, under make test-long, all behaviors.
func TestMachines(t *testing.T) {
	t.Parallel()
	for _, release := range ironic.Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			t.Parallel()
			all := contract.OnMachines()
			if !ironic.Long() {
				all = slices.DeleteFunc(all, func(b contract.MachineBehavior) bool { return !slices.Contains(everyTime, b.Name()) })
				if len(all) != len(everyTime) {
					t.Errorf("%d behaviors, want %q", len(all), everyTime)
				}
			}
			machines.Run(t, contract.StartReal(t, release), all)
		})
	}
}
