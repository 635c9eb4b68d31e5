// Package upstream_test compares code of ironworks with single functions and libraries of the pinned Ironic. It also
// lets a real conductor drive a simulated machine.
package upstream_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// Package regexp2, which matches the regular expressions of inspection rules, runs a clock goroutine that ends a
	// second after the last match.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
}
