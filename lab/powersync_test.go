package lab

import (
	"net"
	"testing"
	"time"
)

// The power is synchronised every minute, however fast the machines are: what
// it clears is for people to read.
func TestPowerSyncPeriod(t *testing.T) {
	t.Parallel()
	i := &Ironic{}
	for _, speed := range []float64{1, 10, 50} {
		if got := i.conductorOptions(IronicOptions{Speed: speed}, &net.TCPAddr{}).Periods.PowerSync; got != time.Minute {
			t.Errorf("at speed %g it is every %s", speed, got)
		}
	}
}
