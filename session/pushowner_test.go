package session

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
)

// fakePorts is a fake Ironic that knows ports and counts the requests.
type fakePorts struct {
	ports map[string]string // node UUID by MAC
	agent string
	asked int
	err   error
}

func (f *fakePorts) PortsAt(_ context.Context, mac string) ([]models.Port, error) {
	f.asked++
	if uuid, has := f.ports[mac]; has {
		return []models.Port{{Address: mac, NodeUUID: uuid}}, f.err
	}
	return nil, f.err
}

func (f *fakePorts) Node(_ context.Context, id string, _ ...string) (*models.Node, error) {
	f.asked++
	if id == "gone" {
		return nil, &models.Fault{Kind: models.FaultNotFound}
	}
	return &models.Node{UUID: id, Name: "name-" + id, Internal: &models.Internal{AgentURL: f.agent}}, f.err
}

func TestPushOwners(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ironic := &fakePorts{ports: map[string]string{"m1": "a", "m2": "a", "m3": "b"}, agent: "https://[2001:db8::5]:9999"}
		owners := newPushOwners(ironic)
		ask := func(macs ...string) (agentlog.Owner, error) {
			return owners.owner(t.Context(), agentlog.Sender{MACs: macs})
		}
		got, err := ask("m0", "m1", "m2")
		if err != nil || got.Node.Name != "name-a" || got.Address != netip.MustParseAddr("2001:db8::5") || ironic.asked != 4 {
			t.Errorf("%+v, %v after %d questions", got, err, ironic.asked)
		}
		if _, err := ask("m0", "m1", "m2"); err != nil || ironic.asked != 4 {
			t.Errorf("asked again: %d questions, %v", ironic.asked, err)
		}
		<-time.After(10 * time.Second)
		ironic.agent = ""
		if got, err := ask("m1"); err != nil || got.Address.IsValid() || ironic.asked != 5 {
			t.Errorf("%+v, %v after %d questions", got, err, ironic.asked)
		}
		for _, macs := range [][]string{{"m0"}, {"m1", "m3"}} {
			if _, err := ask(macs...); !errors.Is(err, agentlog.ErrNotOurs) {
				t.Errorf("%v: %v", macs, err)
			}
		}
		ironic.err = errors.New("no route")
		<-time.After(time.Hour)
		if _, err := ask("m1"); err == nil || errors.Is(err, agentlog.ErrNotOurs) || !strings.Contains(err.Error(), "no route") {
			t.Errorf("an Ironic that is away: %v", err)
		}
	})
}

// TestMachineWithoutAPort checks that a machine without a port is identified by its image, or by an earlier
// identification in the same boot. Its log shows that Ironic does not know its MAC addresses.
func TestMachineWithoutAPort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ironic := &fakePorts{ports: map[string]string{"m1": "a", "m3": "b"}}
		owners := newPushOwners(ironic)
		known, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.66")
		sender := agentlog.Sender{Address: known, MACs: []string{"m1"}, Image: "i1", Boot: "b1"}
		if got, err := owners.owner(t.Context(), sender); err != nil || got.Node.UUID != "a" {
			t.Fatalf("%+v, %v", got, err)
		}
		delete(ironic.ports, "m1") // the port gets another MAC
		<-time.After(time.Hour)
		for _, c := range []struct {
			name   string
			change func(s *agentlog.Sender)
			want   string
		}{
			{"the same boot", func(*agentlog.Sender) {}, "a"},
			{"another boot", func(s *agentlog.Sender) { s.Boot = "b2" }, ""},
			{"the same boot from elsewhere", func(s *agentlog.Sender) { s.Address = other }, ""},
			{"the same boot, another image", func(s *agentlog.Sender) { s.Image = "i2" }, ""},
			{"an image for one node", func(s *agentlog.Sender) { s.Boot, s.ImageNode = "b2", "c" }, "c"},
			{"an image for a node that is gone", func(s *agentlog.Sender) { s.Boot, s.ImageNode = "b2", "gone" }, ""},
			{"another node's MAC", func(s *agentlog.Sender) { s.MACs = []string{"m3"} }, "b"},
		} {
			s := sender
			c.change(&s)
			got, err := owners.owner(t.Context(), s)
			if got.Node.UUID != c.want || (c.want == "") != errors.Is(err, agentlog.ErrNotOurs) {
				t.Errorf("%s: %+v, %v", c.name, got, err)
			}
		}
	})
}

// slowPorts is a fake Ironic. It does not answer requests for MACs that start with "slow" until wait is closed.
type slowPorts struct {
	fakePorts
	mu    sync.Mutex
	asked map[string]int
	wait  chan struct{}
}

func (f *slowPorts) PortsAt(ctx context.Context, mac string) ([]models.Port, error) {
	f.mu.Lock()
	f.asked[mac]++
	f.mu.Unlock()
	if strings.HasPrefix(mac, "slow") {
		select {
		case <-f.wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if uuid, has := f.ports[mac]; has {
		return []models.Port{{Address: mac, NodeUUID: uuid}}, nil
	}
	return nil, nil
}

func (f *slowPorts) Node(_ context.Context, id string, _ ...string) (*models.Node, error) {
	return &models.Node{UUID: id, Name: "name-" + id, Internal: &models.Internal{}}, nil
}

// TestStrangersDoNotBlockOthers checks that slow responses from Ironic and invented MAC addresses do not delay the
// journal of another machine.
func TestStrangersDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ironic := &slowPorts{fakePorts: fakePorts{ports: map[string]string{"m1": "a"}}, asked: map[string]int{}, wait: make(chan struct{})}
		owners := newPushOwners(ironic)
		machine, stranger := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.66")
		known := func() {
			t.Helper()
			if got, err := owners.owner(t.Context(), agentlog.Sender{Address: machine, MACs: []string{"m1"}}); err != nil || got.Node.Name != "name-a" {
				t.Errorf("%+v, %v", got, err)
			}
		}
		known()
		var slow sync.WaitGroup
		for range 8 {
			slow.Go(func() { _, _ = owners.owner(t.Context(), agentlog.Sender{Address: stranger, MACs: []string{"slow"}}) })
		}
		known() // is answered while the other requests wait
		close(ironic.wait)
		slow.Wait()
		if n := ironic.asked["slow"]; n > 8 {
			t.Errorf("%d questions for one MAC", n)
		}
		refused := 0
		for i := range 10_000 {
			_, err := owners.owner(t.Context(), agentlog.Sender{Address: stranger, MACs: []string{fmt.Sprint("made-up-", i)}})
			if errors.Is(err, agentlog.ErrTooManyMACs) {
				refused++
			}
		}
		if asked := len(ironic.asked); asked > askBurst+2 || refused < 9_000 {
			t.Errorf("Ironic was asked for %d MACs, %d requests were refused", asked, refused)
		}
		<-time.After(2 * macLife)
		known() // requested again
	})
}
