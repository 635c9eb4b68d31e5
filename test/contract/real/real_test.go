// Package real_test runs the contract against real Ironics. Their responses depend only on the pinned versions and on
// the tables of package contract; while these do not change, go test uses cached results. Therefore nothing in the
// test binary may import the lab.
package real_test

import (
	"testing"

	"ironworks/test/contract"
	"ironworks/test/ironic"
)

func TestMain(m *testing.M) { contract.Main(m, 12) }

// TestContract runs all behaviors against both releases.
func TestContract(t *testing.T) {
	t.Parallel()
	for _, release := range ironic.Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			t.Parallel()
			contract.Run(t, contract.StartReal(t, release))
		})
	}
}
