// Package real_test runs the contract against real Ironics. What they answer depends on their
// pins and on the tables of package contract only: as long as these stay, go test answers
// from its cache. Nothing that the test binary is made of may import the lab.
package real_test

import (
	"testing"

	"ironworks/test/contract"
	"ironworks/test/ironic"
)

func TestMain(m *testing.M) { contract.Main(m, 12) }

// TestContract runs all behaviours against both releases.
func TestContract(t *testing.T) {
	t.Parallel()
	for _, release := range ironic.Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			t.Parallel()
			contract.Run(t, contract.StartReal(t, release))
		})
	}
}
