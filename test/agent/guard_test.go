package agent_test

import (
	"strings"
	"testing"

	"ironworks/test/agent"
	"ironworks/test/ironic"
)

// TestGuard checks that the guard refuses every attempt to change the computer that runs the tests.
func TestGuard(t *testing.T) {
	for _, release := range ironic.Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			t.Parallel()
			output := string(agent.Run(t, release, "guard", nil))
			if want := "19 attempts, 0 not refused"; strings.TrimSpace(output) != want {
				t.Errorf("the guard printed %q, want %q", output, want)
			}
		})
	}
}
