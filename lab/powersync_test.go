package lab

import (
	"net"
	"testing"
	"time"
)

// TestPowerSyncPeriod checks that the power is synced every minute at any speed, because the power sync clears errors
// that users want to read.
func TestPowerSyncPeriod(t *testing.T) {
	t.Parallel()
	i := &Ironic{}
	for _, speed := range []float64{1, 10, 50} {
		if got := i.conductorOptions(IronicOptions{Speed: speed}, &net.TCPAddr{}).Periods.PowerSync; got != time.Minute {
			t.Errorf("at speed %g it is every %s", speed, got)
		}
	}
}
