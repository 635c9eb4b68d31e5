package agent

import (
	"context"
	"sync"
)

// Listener is a [Hardware] that listens for LLDP while the agent works. A switch sends a frame every 30 s, and a
// deployment needs none.
type Listener interface {
	// EarlyInventory returns the inventory without the LLDP data, and a function that waits for this data and adds it.
	// The function is called again if its context ended; it is nil if nothing is missing.
	EarlyInventory(ctx context.Context) (Inventory, func(context.Context, *Inventory) error, error)
}

// completion waits for the LLDP data and adds it to an inventory; nil if the inventory is complete.
type completion func(context.Context, *Inventory) error

// firstInventory stores the part of the inventory that is available without waiting for LLDP.
func (a *agent) firstInventory(ctx context.Context) error {
	var err error
	if listener, ok := a.hardware.(Listener); ok {
		a.inventory, a.listening, err = listener.EarlyInventory(ctx)
	} else {
		a.inventory, err = a.hardware.Inventory(ctx)
	}
	a.inventory.Disks = single(a.inventory.Disks)
	if a.options.NoInspection {
		a.listening, a.inspected = nil, true // only an inspection needs the LLDP data
	}
	return err
}

// introduce looks the node up, after the inspection. See run of ironic_python_agent/agent.py.
//
// While the hardware listens, the lookup comes first: if Ironic knows the node, the agent serves at once, and
// [agent.serveAndInspect] sends the inventory. The real agent waits for LLDP before its first request, and if the
// collector is lldp, again before the inspection. Ironic ignores heartbeats in inspect wait (heartbeat_allowed of
// ironic/drivers/modules/agent_base.py), and an inventory in any other state.
func (a *agent) introduce(ctx context.Context) (*dict, error) {
	if a.listening != nil {
		found, err := a.lookupWhile(ctx)
		if found != nil || err != nil {
			return found, err
		}
	}
	uuid := ""
	if !a.inspected {
		var err error
		if uuid, err = a.inspect(ctx, a.inventory); err != nil {
			return nil, err
		}
		a.inspected = true
	}
	return a.lookup(ctx, uuid)
}

// lookupWhile looks the node up until the hardware has stopped listening. It returns nil if Ironic does not know the
// node by then.
func (a *agent) lookupWhile(ctx context.Context) (*dict, error) {
	listening, found := context.WithCancel(ctx)
	defer found()
	until, listened := context.WithCancel(ctx)
	defer listened()
	inventory, complete := a.inventory, false
	var waiting sync.WaitGroup
	waiting.Go(func() {
		defer listened()
		complete = a.complete(listening, &inventory)
	})
	node, err := a.lookupUntil(ctx, until, "")
	if node != nil {
		found() // serveAndInspect continues to listen
	}
	waiting.Wait()
	if complete {
		a.inventory, a.listening = inventory, nil
	}
	if node == nil && ctx.Err() == nil {
		return nil, nil //nolint:nilnil // unknown
	}
	return node, err
}

// complete adds the LLDP data to an inventory. A failure is only logged, because the rest of the inventory is still
// sent. It returns false if ctx ended.
func (a *agent) complete(ctx context.Context, inventory *Inventory) bool {
	err := a.listening(ctx, inventory)
	if err != nil && ctx.Err() != nil {
		return false
	}
	if err != nil {
		a.log.inspector.warning("Some of the inventory is missing: %v", err)
	}
	return true
}

// serveAndInspect serves the conductor's calls, and sends the inventory when the hardware has stopped listening. If
// Ironic rejects the inventory, the agent sends it again later. The real agent would end and be restarted by systemd,
// but by then a step may be running.
func (a *agent) serveAndInspect(ctx context.Context) error {
	working, stop := context.WithCancel(ctx)
	var inspecting sync.WaitGroup
	inspecting.Go(func() {
		inventory := a.inventory
		if a.listening != nil {
			a.complete(working, &inventory)
		}
		for working.Err() == nil {
			if _, err := a.inspect(working, inventory); err == nil {
				a.beats.request() // Ironic ignores earlier heartbeats in inspect wait
				return
			}
			a.sleep(working, inspectWaitMax)
		}
	})
	err := a.serve(ctx)
	stop()
	inspecting.Wait()
	return err
}
