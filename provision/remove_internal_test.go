package provision

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
)

// TestOnceUnlocked checks that onceUnlocked waits only if a node is locked, and that it does not wait forever.
func TestOnceUnlocked(t *testing.T) {
	t.Parallel()
	lock, other := &models.Fault{Kind: models.FaultLocked, Status: 409}, errors.New("another fault")
	for name, c := range map[string]struct {
		answer func(after time.Duration) error
		want   error
		within time.Duration
	}{
		"at once":       {func(time.Duration) error { return nil }, nil, 0},
		"another fault": {func(time.Duration) error { return other }, other, 0},
		"after a while": {func(after time.Duration) error {
			if after < 2*time.Minute {
				return lock
			}
			return nil
		}, nil, 2 * time.Minute},
		"never": {func(time.Duration) error { return lock }, lock, lockedFor},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := onceUnlocked(t.Context(), func() error { return c.answer(time.Since(began)) })
				if !errors.Is(err, c.want) || time.Since(began) != c.within {
					t.Errorf("%v after %s, want %v after %s", err, time.Since(began), c.want, c.within)
				}
			})
		})
	}
}
