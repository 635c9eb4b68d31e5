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

// listeningMetal is hardware whose switch sends a frame when the test says so.
type listeningMetal struct {
	*metal
	frame  chan struct{} // closed when the frame arrives
	ended  chan struct{} // closed when the frame was reported
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

// heard reports whether an inventory has what was listened for.
func heard(inventory *dict) bool { return strings.Contains(dump(inventory), `"heard"`) }

// TestLookupDoesNotWaitForLLDP covers a node that Ironic knows: the agent serves, and sends the inventory later.
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
	c.wait() // of the command
	close(m.frame)
	c.wait() // after the inspection
	if !heard(c.inventory()) || !journal.has("one interface is silent") {
		t.Errorf("the inventory is %s", dump(c.inventory()))
	}
}

// TestUnknownNodeIsInspectedFirst covers a node that only the inspection introduces to Ironic.
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

// TestTokenIsNotLost covers a lookup that is answered after LLDP ended. Ironic tells the token only once.
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

// TestWithoutInspectionNothingIsAwaited: only an inspection sends what LLDP says.
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

// TestBusyIronicGetsTheInventoryLater: a failed inspection does not end a serving agent.
func TestBusyIronicGetsTheInventoryLater(t *testing.T) {
	c, m := newConductor(t), newListeningMetal()
	c.inspection = http.StatusServiceUnavailable
	close(m.frame)
	// The node is known at once.
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
