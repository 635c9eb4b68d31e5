package agent

import (
	"context"
	"sync"
)

// Listener is implemented by a [Hardware] that can listen for LLDP frames while the agent works. Switches send a
// frame only every 30 s, and a deployment does not need one.
type Listener interface {
	// EarlyInventory returns the inventory without the LLDP data, and a function that waits for this data and adds it.
	// The function is nil if nothing is missing. It is called again if its context was canceled.
	EarlyInventory(ctx context.Context) (Inventory, func(context.Context, *Inventory) error, error)
}

// completion waits for the LLDP data and adds it to an inventory. It is nil if the inventory is complete.
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

// introduce inspects the machine and then looks up its node. See run in ironic_python_agent/agent.py.
//
// While the hardware listens for LLDP frames, the lookup comes first. If it succeeds, the agent serves at once, and
// [agent.serveAndInspect] sends the inventory later. The real agent, in contrast, waits for LLDP before its first
// request, and waits again before the inspection if lldp is one of the collectors. Ironic ignores heartbeats while
// the node is in inspect wait (heartbeat_allowed in ironic/drivers/modules/agent_base.py), and ignores an inventory
// in any other state.
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
	return a.lookup(ctx, ctx, uuid)
}

// lookupWhile looks up the node until listening for LLDP frames has ended, and returns nil if it is unknown then.
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
	node, err := a.lookup(ctx, until, "")
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

// complete adds the LLDP data to an inventory. It returns false if ctx is canceled first. It only logs other
// failures, because the rest of the inventory is still sent.
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

// serveAndInspect serves the conductor's calls, and sends the inventory when the hardware has stopped listening for
// LLDP frames. If Ironic rejects the inventory, the agent sends it again later. The real agent would exit, and
// systemd would restart it, but a step may already be running at that time.
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
				a.beats.request() // Ironic ignored earlier heartbeats while the node was in inspect wait
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
