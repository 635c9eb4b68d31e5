package cmd

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
)

// fakePorts is an Ironic with ports; it counts the questions.
type fakePorts struct {
	ports map[string]string // the node by the MAC
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
	return &models.Node{UUID: id, Name: "name-" + id, Internal: &models.Internal{AgentURL: f.agent}}, f.err
}

func TestPushOwners(t *testing.T) {
	t.Parallel()
	clock := time.Unix(0, 0)
	ironic := &fakePorts{ports: map[string]string{"m1": "a", "m2": "a", "m3": "b"}, agent: "https://[2001:db8::5]:9999"}
	owners := newPushOwners(ironic, func() time.Time { return clock })
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
	clock = clock.Add(10 * time.Second)
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
	clock = clock.Add(time.Hour)
	if _, err := ask("m1"); err == nil || errors.Is(err, agentlog.ErrNotOurs) || !strings.Contains(err.Error(), "no route") {
		t.Errorf("an Ironic that is away: %v", err)
	}
}
