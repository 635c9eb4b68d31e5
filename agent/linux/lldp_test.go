package linux_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/agent"
	"ironworks/agent/linux"
	"ironworks/test/linuxhost"
)

// switched implements [linux.Links] for a host with a switch that immediately sends one LLDP frame.
type switched struct {
	noLinks
	listened *atomic.Int32
}

func (s switched) LLDP(context.Context, []string) (map[string][]byte, error) {
	s.listened.Add(1)
	return map[string][]byte{"eth0": {0x02, 0x02, 0x04, 0xff}}, nil
}

// TestLLDPIsListenedForOnce checks that the collector uses the frames received since ListenForLLDP instead of
// listening again.
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

// patient implements [linux.Links] for a host with a switch that sends its LLDP frame after 20 s.
type patient struct{ linux.Links }

func (patient) LLDP(ctx context.Context, names []string) (map[string][]byte, error) {
	select {
	case <-time.After(20 * time.Second):
		return map[string][]byte{names[0]: {0x02, 0x02, 0x04, 0xff}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestLLDPIsAddedLater checks that InventoryWithoutLLDP returns without waiting, and that only AddLLDP waits for
// frames.
func TestLLDPIsAddedLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		host := linuxhost.Load(t, "uefi-server").Host(t)
		host.Links = patient{host.Links}
		m := linux.New(host, linux.Options{CollectLLDP: true, SkipBMC: true})
		begin := time.Now()
		m.ListenForLLDP(t.Context())
		inventory, err := m.InventoryWithoutLLDP(t.Context())
		if err != nil || time.Since(begin) != 0 || len(inventory.Interfaces) == 0 || frames(inventory) != 0 {
			t.Fatalf("after %v %d frames on %d interfaces, %v", time.Since(begin), frames(inventory), len(inventory.Interfaces), err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := m.AddLLDP(short, &inventory); err == nil || time.Since(begin) != time.Second {
			t.Errorf("an ended context: %v after %v", err, time.Since(begin))
		}
		if err := m.AddLLDP(t.Context(), &inventory); err != nil || time.Since(begin) != 20*time.Second || frames(inventory) != 1 {
			t.Errorf("after %v %d frames, %v", time.Since(begin), frames(inventory), err)
		}
		whole, err := m.Inventory(t.Context())
		if err != nil || time.Since(begin) != 20*time.Second || frames(whole) != 1 {
			t.Errorf("the whole inventory after %v: %d frames, %v", time.Since(begin), frames(whole), err)
		}
	})
}

func frames(inventory agent.Inventory) int {
	n := 0
	for _, i := range inventory.Interfaces {
		n += len(i.LLDP)
	}
	return n
}
