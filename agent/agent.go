// Package agent implements ironic-python-agent's protocol: inspection, lookup, heartbeats, the
// service that a conductor calls, and the steps with their real effects and error messages.
//
// It works on a [Hardware], which may be a real or a simulated machine. It logs to a journal, in
// the format of the real agent.
package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// agent holds the state of a running agent. Each call of [Run] creates one.
type agent struct {
	options   Options
	hardware  Hardware
	journal   *journal
	log       logs
	inventory Inventory
	started   time.Time

	ironic          *ironic
	beats           *heartbeats
	runningCommands sync.WaitGroup // the goroutines of running commands
	gate            CallGate       // calls that are being answered
	endRequest      chan endReason // receives requests to end the service; buffers one

	// refusedInventory is an inventory that Ironic refused and that inspectAgain therefore sends again, or nil.
	refusedInventory *dict
	// inspected reports whether no inventory is left to send: it was sent, or no inspection was requested.
	inspected bool
	// listening waits for LLDP frames and adds their data to the inventory. It is nil if the inventory is complete.
	listening completion

	node     atomic.Pointer[dict] // the node that the conductor last sent
	mu       sync.Mutex
	token    string
	commands []*command

	// While the agent serves, only commands use the following fields, and only one command runs at a time.
	ports          any // the node's ports that the conductor sent with the last step
	installsToFail int
	writtenImage   string
	partitionUUIDs *dict
	raidRoots      []raidRoot
}

// endReason is the reason why the service ends.
type endReason int

const (
	endByContext endReason = iota // the context is canceled, for example because the machine is powered off
	endByRescue
	endByLockdown
	endByDeath
)

// Run runs the agent until ctx is canceled, and then returns nil. Run returns earlier if a rescue was finalized, if
// Ironic does not know the machine, or if another error ends the agent. When it returns, all its goroutines have ended.
func Run(ctx context.Context, options Options) error {
	if err := options.complete(); err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	a := &agent{
		options: options, hardware: options.Hardware, token: options.Token,
		endRequest: make(chan endReason, 1), installsToFail: options.Faults.InstallFailures,
	}
	a.journal = &journal{now: a.now, sink: options.Journal, host: "localhost"}
	a.log = newLogs(a.journal)
	a.ironic = newIronic(options, a.log.client)
	a.journal.systemd(PriorityInfo, "Started "+Unit+" - Ironic Agent.")
	err := a.run(ctx)
	if ctx.Err() != nil && !errors.Is(err, ErrDied) {
		return nil //nolint:nilerr // ctx ends when the machine is powered off
	}
	if err != nil {
		a.journal.systemd(PriorityNotice, Unit+": Main process exited, code=exited, status=1/FAILURE")
		a.journal.systemd(PriorityWarning, Unit+": Failed with result 'exit-code'.")
		return fmt.Errorf("agent: %w", err)
	}
	return nil
}

func (a *agent) run(ctx context.Context) error {
	a.log.agent.info("Starting ironic-python-agent version: %s", a.options.Version)
	a.started = a.now()
	// While the inventory is collected, ask Ironic for its release.
	var matching sync.WaitGroup
	matching.Go(func() { a.matchIronic(ctx) })
	err := a.firstInventory(ctx)
	matching.Wait()
	if err != nil {
		return fmt.Errorf("collecting the inventory: %w", err)
	}
	a.journal.host = a.inventory.Hostname
	a.matchIronic(ctx) // retry, because Ironic may not have answered the first attempt
	found, err := a.introduce(ctx)
	if err != nil {
		return err
	}
	a.matchIronic(ctx)
	mine := a.storeLookup(found)
	if err := a.inspectAgain(ctx); err != nil {
		return err
	}
	if err := a.awaitDisks(ctx); err != nil {
		return err
	}
	if !mine || a.options.Rescued {
		// Either the machine is in rescue, or the agent has no token: Ironic may have sent it to another ramdisk.
		a.log.agent.info("Found rescue state marker file, locking down IPA in disabled mode")
		<-ctx.Done()
		return nil
	}
	if a.inspected {
		return a.serve(ctx)
	}
	return a.serveAndInspect(ctx)
}

// matchIronic makes the agent behave like agent 9.4.2 if Ironic is not newer than release 21.4. The conductor of that
// release lists the agent's commands without sending a token, and plans with the steps of the old agent.
func (a *agent) matchIronic(ctx context.Context) {
	if !a.options.MatchIronic {
		return
	}
	a.ironic.apiVersion(ctx)
	if version := apiVersion(a.ironic.version.Load()); version != 0 && version <= lastOld {
		a.options.Version = oldAgentVersion
	}
}

// now returns the current time according to the machine's clock, which may be skewed.
func (a *agent) now() time.Time { return time.Now().Add(a.options.Faults.ClockSkew) }

// scale returns d divided by the agent's speed.
func (a *agent) scale(d time.Duration) time.Duration {
	return time.Duration(float64(d) / a.options.Speed)
}

// sleep waits for d, divided by the agent's speed. It returns false if ctx was canceled first.
func (a *agent) sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(a.scale(d)):
		return ctx.Err() == nil
	}
}

// requestEnd requests that the service end for the given reason. Only the first request has an effect.
func (a *agent) requestEnd(why endReason) {
	select {
	case a.endRequest <- why:
	default:
	}
}

func (a *agent) cacheNode(node *dict) {
	if old := a.node.Swap(node); old == nil || old.Text("uuid") != node.Text("uuid") {
		a.log.hardware.info("Cached node %s, waiting for its root device to appear", node.Text("uuid"))
	}
}
