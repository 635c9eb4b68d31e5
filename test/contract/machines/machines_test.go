package machines_test

import (
	"slices"
	"testing"

	"ironworks/test/contract"
	"ironworks/test/contract/machines"
	"ironworks/test/ironic"
)

func TestMain(m *testing.M) { contract.Main(m, 12) }

// everyTime are those that a real Ironic is asked for in each run: it takes ten
// seconds of a processor for each machine. make test-long leaves nothing out.
var everyTime = []string{"inspected-by-the-agent", "while-a-step-runs", "no-disk-matches"}

// TestMachines runs the behaviours against both releases.
func TestMachines(t *testing.T) {
	t.Parallel()
	for _, release := range ironic.Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			t.Parallel()
			all := contract.OnMachines()
			if !ironic.Long() {
				all = slices.DeleteFunc(all, func(b contract.MachineBehaviour) bool { return !slices.Contains(everyTime, b.Name()) })
				if len(all) != len(everyTime) {
					t.Errorf("%d behaviours, want %q", len(all), everyTime)
				}
			}
			machines.Run(t, contract.StartReal(t, release), all)
		})
	}
}
