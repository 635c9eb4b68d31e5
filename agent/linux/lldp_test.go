package linux_test

import (
	"context"
	"sync/atomic"
	"testing"

	"ironworks/agent/linux"
)

// switched is a host whose switch sends one LLDP frame.
type switched struct {
	noLinks
	listened *atomic.Int32
}

func (s switched) LLDP(context.Context, []string) (map[string][]byte, error) {
	s.listened.Add(1)
	return map[string][]byte{"eth0": {0x02, 0x02, 0x04, 0xff}}, nil
}

// TestLLDPIsListenedForOnce: the collector uses the frames received since the start.
func TestLLDPIsListenedForOnce(t *testing.T) {
	b, listened := newBench(t), &atomic.Int32{}
	b.Links = switched{listened: listened}
	b.write(t, "/sys/class/net/eth0/carrier", "1\n")
	b.write(t, "/sys/class/net/eth0/device/vendor", "0x8086\n")
	m := linux.New(b.Host, linux.Options{CollectLLDP: true})
	m.ListenForLLDP(t.Context())
	for range 2 {
		_, value, err := m.Collect(t.Context(), "lldp")
		found, _ := value.(map[string][]any)
		if err != nil || len(found["eth0"]) != 1 {
			t.Errorf("%v, %v", value, err)
		}
	}
	if n := listened.Load(); n != 1 {
		t.Errorf("listened %d times", n)
	}
}
