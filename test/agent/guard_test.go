package agent_test

import (
	"strings"
	"testing"

	"ironworks/test/agent"
	"ironworks/test/ironic"
)

// Nothing that could touch the computer under the tests gets through.
func TestGuard(t *testing.T) {
	for _, release := range ironic.Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			t.Parallel()
			said := string(agent.Run(t, release, "guard", nil))
			if want := "19 attempts, 0 not refused"; strings.TrimSpace(said) != want {
				t.Errorf("the guard says %q, want %q", said, want)
			}
		})
	}
}
