// Package upstream_test compares code of ironworks with single functions and libraries of the pinned Ironic, and drives
// a simulated machine with a real conductor.
package upstream_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
