package conductor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"ironworks/lab/db"
	"ironworks/python"
)

// periodicWorkers is [conductor]periodic_max_workers, the limit of timed-out nodes in one round.
const periodicWorkers = 8

// periodic is a periodic task. It is disabled unless every, the interval, is positive.
type periodic struct {
	every time.Duration
	do    func(context.Context)
}

func (c *Conductor) periodics() []periodic {
	p, limits := c.options.Periods, c.options.Timeouts
	waits := func(every, limit time.Duration, w wait) periodic {
		if limit < 0 {
			every = -1
		}
		w.limit = limit
		return periodic{every, func(ctx context.Context) { c.failExpired(ctx, w) }}
	}
	// watches returns a task that calls do for each unlocked node in one of the given states whose interface of the
	// given kind is redfish and for which the given field of driver_internal_info is set (node_periodic in
	// ironic/conductor/periodics.py).
	type visit = func(*task, context.Context) error
	watches := func(every time.Duration, how locking, kind, field string, states []string, do visit) periodic {
		return periodic{every, func(ctx context.Context) {
			c.forEach(ctx, how, func(n *db.Node) bool {
				return slices.Contains(states, n.ProvisionState) && python.Truthy(n.DriverInternalInfo[field]) && interfaceOf(n, kind) == "redfish"
			}, do)
		}}
	}
	waiting, failed := []string{cleanWait, deployWait, serviceWait}, []string{cleanFail, deployFail, serviceFail}
	return []periodic{
		waits(p.Provision, limits.Deploy, wait{state: deployWait, fail: (*task).deployTimedOut}),
		waits(p.Provision, limits.Clean, wait{state: cleanWait, keepTarget: true, fail: stepsTimedOut(cleanSteps)}),
		waits(p.Provision, limits.Inspect, wait{state: inspectWait, fromStart: true, fail: (*task).inspectTimedOut}),
		waits(p.Rescue, limits.Rescue, wait{state: rescueWait, keepTarget: true, fail: (*task).rescueTimedOut}),
		waits(p.Provision, limits.Service, wait{state: serviceWait, keepTarget: true, fail: stepsTimedOut(serviceSteps)}),
		{p.PowerSync, c.syncPower},
		{p.PowerRecovery, c.recoverPower},
		// As in Ironic, volume changes are not polled during servicing, so the node waits until its timeout.
		watches(p.RAID, locking{noRetry: true}, "raid", raidConfigs, []string{cleanWait, deployWait}, (*task).checkRAIDTasks),
		watches(p.RAID, locking{shared: true}, "raid", raidConfigs, []string{cleanFail, deployFail}, (*task).dropFailedRAID),
		watches(p.Firmware, locking{shared: true}, "bios", biosState, waiting, (*task).checkBIOSStep),
		watches(p.Firmware, locking{shared: true}, "firmware", firmwareUpdates, waiting, (*task).checkFirmwareUpdate),
		watches(p.Firmware, locking{shared: true}, "firmware", firmwareUpdates, failed, (*task).dropFailedUpdates),
		{p.Consoles, c.expireConsoles},
	}
}

// wait describes a provision state in which a node may stay only for a limited time.
type wait struct {
	state      string
	limit      time.Duration
	keepTarget bool
	fromStart  bool // the time limit counts from the start of the inspection
	fail       func(*task, context.Context)
}

// expired reports whether an unlocked node that is not in maintenance has been in the state for too long.
func (w wait) expired(n *db.Node, now time.Time) bool {
	since := n.ProvisionUpdatedAt
	if w.fromStart {
		since = n.InspectionStartedAt
	}
	return n.ProvisionState == w.state && n.Reservation == "" && !n.Maintenance && !since.IsZero() && since.Before(now.Add(-w.limit))
}

// failExpired moves nodes that have been in the state for longer than allowed to a failed state (_fail_if_in_state).
// It handles at most periodicWorkers nodes per call, beginning with those that have been waiting longest.
func (c *Conductor) failExpired(ctx context.Context, w wait) {
	now := c.tables.Now()
	nodes := c.tables.Nodes.List(func(n *db.Node) bool { return w.expired(n, now) })
	slices.SortStableFunc(nodes, func(a, b *db.Node) int { return a.ProvisionUpdatedAt.Compare(b.ProvisionUpdatedAt) })
	for _, node := range nodes[:min(len(nodes), periodicWorkers)] {
		err := c.withTask(ctx, node.UUID, locking{}, func(_ context.Context, t *task) error {
			if t.node.Maintenance || t.node.ProvisionState != w.state {
				return nil
			}
			target := ""
			if w.keepTarget {
				target = t.node.TargetProvisionState
			}
			if err := t.start(onFail, target, ""); err != nil {
				return err
			}
			t.worker("cleanup_after_timeout", w.fail)
			return nil
		})
		if isKind(err, kindNoWorker) {
			return
		}
	}
}

func (t *task) deployTimedOut(ctx context.Context) {
	t.failDeployment(ctx, "Timeout reached while waiting for callback for node "+t.node.UUID, true)
}

func stepsTimedOut(kind stepKind) func(*task, context.Context) {
	return func(t *task, ctx context.Context) {
		t.failSteps(ctx, kind, fmt.Sprintf("Timeout reached while %[1]s the node. Please check if the ramdisk responsible for the %[1]s is running on the node. Failed on step %[2]s.",
			operations[kind].gerund, python.Repr(*kind.step(t.node))), failing{noChange: true})
	}
}

func (t *task) inspectTimedOut(ctx context.Context) {
	t.failInspection(ctx, "Timeout reached while inspecting the node. Please check if the ramdisk responsible for the inspection is running on the node.")
}

func (t *task) rescueTimedOut(ctx context.Context) {
	t.failRescue(ctx, "Timeout reached while waiting for rescue ramdisk callback for node", true)
}

// notSynced lists the provision states in which a node's power state is not synced.
var notSynced = []string{deployWait, cleanWait, enroll, adoptFail}

// syncs reports whether the node's power state is to be synced.
func syncs(n *db.Node) bool {
	return !slices.Contains(notSynced, n.ProvisionState) && !n.Maintenance && n.TargetPowerState == "" && n.Reservation == ""
}

// syncPower compares the power states of all nodes with the expected ones, the failed ones first.
func (c *Conductor) syncPower(ctx context.Context) {
	nodes := c.tables.Nodes.List(syncs)
	c.mu.Lock()
	count := make(map[string]int, len(c.failedSyncs))
	maps.Copy(count, c.failedSyncs)
	c.mu.Unlock()
	slices.SortStableFunc(nodes, func(a, b *db.Node) int { return cmp.Compare(count[b.UUID], count[a.UUID]) })
	queue := make(chan string, len(nodes))
	for _, node := range nodes {
		queue <- node.UUID
	}
	close(queue)
	var workers sync.WaitGroup
	for range min(powerSyncs, len(nodes)) {
		workers.Go(func() {
			for uuid := range queue {
				if ctx.Err() != nil {
					return
				}
				c.syncOne(ctx, uuid)
			}
		})
	}
	workers.Wait()
}

func (c *Conductor) syncOne(ctx context.Context, uuid string) {
	t, err := c.acquire(ctx, uuid, locking{shared: true})
	if err != nil {
		return
	}
	defer t.release()
	if !syncs(t.node) {
		return
	}
	c.mu.Lock()
	failed := c.failedSyncs[uuid]
	c.mu.Unlock()
	failed = t.syncPower(ctx, failed)
	c.mu.Lock()
	defer c.mu.Unlock()
	if failed == 0 {
		delete(c.failedSyncs, uuid)
		return
	}
	c.failedSyncs[uuid] = failed
}

// syncPower implements do_sync_power_state. The failed parameter is the number of consecutive failed checks so far.
// The result is the new number, which is 0 if the machine has the expected power state.
func (t *task) syncPower(ctx context.Context, failed int) int {
	failed++
	most := powerRetries
	if t.node.PowerState == "" && isInvalid(t.validateRedfish("power")) {
		return 0
	}
	// One request to the BMC returns everything that the power sync reads.
	if t.driver.names["power"] == "redfish" {
		if system, err := t.systemOf(ctx); err == nil {
			t.system = system
			defer func() { t.system = nil }()
		}
	}
	now, err := t.driver.power.state(ctx, t)
	if err != nil {
		if failed > most && ctx.Err() == nil && t.upgrade(ctx, locking{}) == nil {
			t.giveUpPower("", err)
		}
		return failed
	}
	t.cacheVendor(ctx)
	t.cacheBootMode(ctx)
	t.cacheHealth(ctx)
	t.system = nil
	if t.node.PowerState == now {
		t.clearError()
		return 0
	}
	if t.upgrade(ctx, locking{}) != nil {
		return failed
	}
	switch {
	case t.node.PowerState == now:
		t.clearError()
		return 0
	case slices.Contains(notSynced, t.node.ProvisionState), t.node.Maintenance:
		return 0
	case t.node.PowerState == "":
		t.node.PowerState, t.node.LastError = now, ""
		t.save()
		return 0
	case failed > most:
		t.giveUpPower(now, nil)
	case t.powerStaysOn():
		t.node.PowerState = now
		t.save()
	default:
		_ = t.setPower(ctx, t.node.PowerState)
	}
	return failed
}

// clearError clears the node's last error. The history keeps it.
func (t *task) clearError() {
	if t.node.LastError != "" {
		t.node.LastError = ""
		t.save()
	}
}

// giveUpPower stores the actual power state, or "" if unknown, and puts the node into maintenance.
func (t *task) giveUpPower(now string, problem error) {
	message := fmt.Sprintf("During sync_power_state, max retries exceeded for node %s, node state %s does not match expected state '%s'. Updating DB state to '%s' Switching node to maintenance mode.",
		t.node.UUID, nameOrNone(now), nameOrNone(t.node.PowerState), nameOrNone(now))
	if problem != nil {
		message += " Error: " + messageOf(problem)
	}
	t.node.PowerState = now
	t.record(message, "monitoring", true)
	if !t.node.Maintenance {
		t.node.Maintenance, t.node.MaintenanceReason, t.node.Fault = true, message, faultPower
	}
	t.save()
}

// recoverPower ends the maintenance of nodes that had a power failure, once their power state can be read again.
func (c *Conductor) recoverPower(ctx context.Context) {
	failed := func(n *db.Node) bool {
		return n.Maintenance && n.Fault == faultPower && n.ProvisionState != enroll && n.TargetPowerState == ""
	}
	c.forEach(ctx, locking{shared: true}, failed, func(t *task, ctx context.Context) error {
		if err := t.validateRedfish("power"); err != nil {
			return err
		}
		now, err := t.driver.power.state(ctx, t)
		if err != nil {
			return err
		}
		if err := t.upgrade(ctx, locking{}); err != nil {
			return err
		}
		t.node.PowerState, t.node.Maintenance, t.node.MaintenanceReason, t.node.Fault = now, false, "", ""
		t.save()
		return nil
	})
}
