// Package conductor is the conductor of the embedded Ironic: it carries out the API's requests
// like Ironic 39.0.0, with the same checks, states and messages.
//
// It controls machines only through Redfish and the agent's API, and imports neither of the packages that simulate
// them. All of its data about a node is in the database; between two events of a node, the conductor holds no state and
// runs no goroutine for that node.
package conductor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ironworks/lab/api"
	"ironworks/lab/conductor/redfish"
	"ironworks/lab/db"
)

// Conductor is the conductor of the embedded Ironic. Its methods are safe for concurrent use.
type Conductor struct {
	options Options
	tables  *db.Store
	life    context.Context //nolint:containedctx // from New to Close: workers outlive the calls that start them
	end     context.CancelFunc
	// reserved runs the workers that are reserved for API calls, and workers runs the other ones.
	workers, reserved errgroup.Group
	relays            sync.WaitGroup
	bmcs              *redfish.Sessions
	images            *imageStore

	mu           sync.Mutex
	closed       bool
	consoles     map[string]*consoleRelay // served serial consoles, by node UUID
	updates      map[string]int           // number of concurrent updates, by node UUID
	failedSyncs  map[string]int           // number of consecutive failed power syncs, by node UUID
	certificates map[string]string        // certificates of agents, by the path stored in agent_verify_ca
}

var _ api.Conductor = (*Conductor)(nil)

// New creates a conductor and registers it. Nodes whose operations were interrupted when the conductor last stopped
// are moved to the corresponding failed state. Run runs the periodic tasks; Close stops the conductor.
func New(options Options) (*Conductor, error) {
	if err := options.complete(); err != nil {
		return nil, fmt.Errorf("making a conductor: %w", err)
	}
	c := &Conductor{
		options: options, tables: options.Tables, consoles: map[string]*consoleRelay{}, updates: map[string]int{},
		failedSyncs: map[string]int{}, certificates: map[string]string{},
	}
	kept := options.Limits.Workers * reservedPercent / 100
	c.workers.SetLimit(options.Limits.Workers - kept)
	c.reserved.SetLimit(kept)
	c.life, c.end = context.WithCancel(context.Background())
	c.bmcs = &redfish.Sessions{
		Limit: options.Limits.BMCSessions, Sleep: c.sleep,
		Spawn: func(do func(context.Context)) { _ = c.spawn(false, do) },
	}
	c.images = &imageStore{c: c, fetched: map[string]*image{}, published: map[string]string{}}
	if err := c.forgetLocks(); err != nil {
		c.end()
		return nil, fmt.Errorf("making a conductor: %w", err)
	}
	c.register(true)
	// A starting conductor cannot resume operations in these states.
	for _, state := range []string{deploying, cleaning, verifying, inspecting, adopting, rescuing, unrescuing, deleting, servicing} {
		c.failStuck(state)
	}
	return c, nil
}

// register records in the database whether the conductor is alive.
func (c *Conductor) register(alive bool) {
	c.tables.SetConductor(db.Conductor{Hostname: hostname, Alive: alive, Drivers: c.options.HardwareTypes})
}

// forgetLocks releases the locks that an earlier conductor with the same name still held when it stopped.
func (c *Conductor) forgetLocks() error {
	held := c.tables.Nodes.List(func(n *db.Node) bool { return n.Reservation == hostname })
	for _, node := range held {
		_, err := c.tables.Nodes.Update(node.UUID, func(n *db.Node) error {
			if n.TargetPowerState != "" {
				n.TargetPowerState = ""
				n.LastError = "Pending power operation was aborted due to conductor restart"
			}
			n.Reservation = ""
			return nil
		})
		if err != nil {
			return fmt.Errorf("giving back the lock of node %s: %w", node.UUID, err)
		}
	}
	return nil
}

// failStuck moves the nodes in the given state, which cannot be resumed, to the corresponding failed state.
func (c *Conductor) failStuck(state string) {
	stuck := func(n *db.Node) bool { return n.ProvisionState == state }
	c.forEach(c.life, locking{}, stuck, func(t *task, _ context.Context) error {
		t.record(fmt.Sprintf("The %s state can't be resumed by conductor %s. Moving to fail state.", state, hostname), "transition", true)
		return t.process(onFail)
	})
}

// Run runs the periodic tasks until ctx is done or Close is called. It then closes the conductor.
func (c *Conductor) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.life, cancel) //nolint:contextcheck // the end of either context stops the tasks
	defer stop()
	defer cancel()
	var tasks sync.WaitGroup
	for _, p := range c.periodics() {
		if p.every > 0 {
			tasks.Go(func() {
				for pause(ctx, p.every) {
					p.do(ctx)
				}
			})
		}
	}
	tasks.Wait()
	<-ctx.Done()
	c.Close()
	return nil
}

// Close stops all workers and waits for them. The next conductor moves nodes in the middle of an operation to a failed
// state.
func (c *Conductor) Close() {
	c.mu.Lock()
	first := !c.closed
	c.closed = true
	c.mu.Unlock()
	c.end()
	_ = c.workers.Wait()
	_ = c.reserved.Wait()
	c.relays.Wait()
	if first {
		c.images.close()
		c.register(false)
	}
}

// now returns the current time in UTC.
func (c *Conductor) now() time.Time { return time.Now().UTC() }

// sleep waits for d divided by the conductor's speed. It reports whether the wait ended before ctx was done.
func (c *Conductor) sleep(ctx context.Context, d time.Duration) bool {
	return pause(ctx, time.Duration(float64(d)/c.options.Speed))
}

// pause waits for d. It reports whether the wait ended before ctx was done.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// spawn runs do in a worker if one is free. If reserved is set, this may be one that is reserved for API calls.
func (c *Conductor) spawn(reserved bool, do func(context.Context)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	work := func() error {
		do(c.life)
		return nil
	}
	if c.closed || !c.workers.TryGo(work) && (!reserved || !c.reserved.TryGo(work)) {
		return noWorker()
	}
	return nil
}

// Drivers returns the hardware types with their enabled and default interfaces.
func (c *Conductor) Drivers() []api.Driver {
	var all []api.Driver
	for _, name := range c.options.HardwareTypes {
		d := api.Driver{Name: name, Hosts: []string{hostname}, Default: map[string]string{}, Enabled: map[string][]string{}}
		for _, kind := range slices.Sorted(maps.Keys(c.options.Enabled)) {
			if byDefault, err := c.defaultInterface(name, kind, ""); err == nil {
				d.Default[kind] = byDefault
			}
			for _, impl := range c.options.Enabled[kind] {
				if slices.Contains(supported[name][kind], impl) {
					d.Enabled[kind] = append(d.Enabled[kind], impl)
				}
			}
		}
		all = append(all, d)
	}
	return all
}
