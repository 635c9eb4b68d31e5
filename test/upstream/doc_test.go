// Package upstream_test compares code of ironworks with single functions and libraries of the pinned Ironic, and drives
// a simulated machine with a real conductor.
package upstream_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// The clock of regular expressions, which inspection rules have, ends a second after the last match.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
}
