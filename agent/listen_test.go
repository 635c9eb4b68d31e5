package agent

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// listeningMetal is simulated hardware whose switch sends an LLDP frame when the test closes the frame channel.
type listeningMetal struct {
	*metal
	frame  chan struct{} // closed when the frame arrives
	ended  chan struct{} // closed when the agent has received the frame
	failed error
}

func newListeningMetal() *listeningMetal {
	return &listeningMetal{metal: newMetal(), frame: make(chan struct{}), ended: make(chan struct{})}
}

func (m *listeningMetal) EarlyInventory(ctx context.Context) (Inventory, func(context.Context, *Inventory) error, error) {
	inventory, err := m.Inventory(ctx)
	return inventory, func(ctx context.Context, inventory *Inventory) error {
		select {
		case <-m.frame:
		case <-ctx.Done():
			return ctx.Err()
		}
		inventory.Interfaces = slices.Clone(inventory.Interfaces)
		inventory.Interfaces[0].Name = "heard"
		close(m.ended)
		return m.failed
	}, err
}

// heard reports whether the inventory contains the data that the frame added.
func heard(inventory *dict) bool { return strings.Contains(dump(inventory), `"heard"`) }

// TestLookupDoesNotWaitForLLDP checks that the agent serves at once if Ironic knows the node, and that it sends the
// inventory later.
func TestLookupDoesNotWaitForLLDP(t *testing.T) {
	c, m := newConductor(t), newListeningMetal()
	c.inspection = http.StatusOK
	m.failed = errors.New("one interface is silent")
	journal := &lines{}
	c.startOn(m.metal, m, Options{Journal: journal.add, Speed: 1000})
	d := c.drive(c.wait())
	if c.inventory() != nil {
		t.Error("the inventory was sent before LLDP ended")
	}
	if _, answer := d.post("standby.sync", `{}`, true); answer.Text("command_status") != "SUCCEEDED" {
		t.Errorf("a command meanwhile: %s", dump(answer))
	}
	c.wait() // the heartbeat after the command
	close(m.frame)
	c.wait() // the heartbeat after the inspection
	if !heard(c.inventory()) || !journal.has("one interface is silent") {
		t.Errorf("the inventory is %s", dump(c.inventory()))
	}
}

// TestUnknownNodeIsInspectedFirst checks that the agent sends the inventory before a successful lookup if Ironic
// learns of the node only through the inspection.
func TestUnknownNodeIsInspectedFirst(t *testing.T) {
	c, m := newConductor(t), newListeningMetal()
	c.inspection = http.StatusOK
	c.lookups = slices.Repeat([]int{http.StatusNotFound}, 1000)
	var looked atomic.Int32
	c.lookupQuery = func(query string) {
		switch {
		case strings.Contains(query, "node_uuid=n1"):
			c.lookups = nil
		case looked.Add(1) == 2:
			close(m.frame)
		}
	}
	c.startOn(m.metal, m, Options{Speed: 1000})
	c.wait()
	if !heard(c.inventory()) {
		t.Errorf("the inventory is %s", dump(c.inventory()))
	}
}

// TestTokenIsNotLost checks that the agent uses the response to a lookup even if the response arrives after the agent
// has stopped listening for LLDP frames. Ironic sends the token only once.
func TestTokenIsNotLost(t *testing.T) {
	c, m := newConductor(t), newListeningMetal()
	c.inspection = http.StatusOK
	var looked atomic.Int32
	c.lookupQuery = func(string) {
		if looked.Add(1) == 1 {
			close(m.frame)
			<-m.ended
		}
	}
	c.startOn(m.metal, m, Options{Speed: 1000})
	if beat := c.wait(); beat.Text("agent_token") != testToken || looked.Load() != 1 {
		t.Errorf("after %d lookups the heartbeat is %s", looked.Load(), dump(beat))
	}
}

// TestWithoutInspectionNothingIsAwaited checks that without an inspection, the agent neither waits for LLDP frames
// nor sends an inventory.
func TestWithoutInspectionNothingIsAwaited(t *testing.T) {
	c, m := newConductor(t), newListeningMetal()
	c.startOn(m.metal, m, Options{NoInspection: true, Speed: 1000})
	c.wait()
	close(m.frame)
	c.wait()
	if c.inventory() != nil {
		t.Error("an inventory was sent")
	}
}

// TestBusyIronicGetsTheInventoryLater checks that a failed inspection does not end an agent that already serves, and
// that the agent sends the inventory again.
func TestBusyIronicGetsTheInventoryLater(t *testing.T) {
	c, m := newConductor(t), newListeningMetal()
	c.inspection = http.StatusServiceUnavailable
	close(m.frame)
	// Ironic knows the node, so the first lookup succeeds.
	c.startOn(m.metal, m, Options{Speed: 1000})
	for c.wait() != nil {
		c.mu.Lock()
		tries := c.inspections
		if tries > inspectTries {
			c.inspection = http.StatusOK
		}
		c.mu.Unlock()
		if tries > inspectTries+1 {
			return
		}
	}
}
