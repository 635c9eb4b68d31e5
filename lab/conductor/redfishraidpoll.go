package conductor

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"ironworks/lab/db"
)

// raidRuns returns the unlocked nodes in the given states that have pending volume changes.
func (c *Conductor) raidRuns(states ...string) []*db.Node {
	return c.tables.Nodes.List(func(n *db.Node) bool {
		return slices.Contains(states, n.ProvisionState) && n.Reservation == "" && len(raidConfigs(n)) > 0 && interfaceOf(n, "raid") == "redfish"
	})
}

func raidConfigs(n *db.Node) db.Dict {
	configs, _ := dictOf(n.DriverInternalInfo["raid_configs"])
	return configs
}

// pollRAID implements _query_raid_config_status. Like Ironic, it does not poll nodes during servicing, so they wait
// until their timeout.
func (c *Conductor) pollRAID(ctx context.Context) {
	for _, n := range c.raidRuns(cleanWait, deployWait) {
		t, err := c.acquire(ctx, n.UUID, locking{noRetry: true})
		if err != nil {
			continue
		}
		resume := stepKind("")
		if len(raidConfigs(t.node)) > 0 && slices.Contains([]string{cleanWait, deployWait}, t.node.ProvisionState) {
			resume = t.checkRAIDTasks(ctx)
		}
		t.release()
		if resume != "" {
			_ = c.resumeStep(ctx, n.UUID, resume)
		}
	}
}

// checkRAIDTasks implements _check_node_raid_config. It returns the kind of the steps to resume, or "" while changes
// are pending. After an error, it also returns "", and the node keeps waiting.
func (t *task) checkRAIDTasks(ctx context.Context) stepKind {
	configs := maps.Clone(raidConfigs(t.node))
	given, _ := configs["task_monitor_uri"].([]any)
	monitors := []any{}
	for _, monitor := range given {
		if path, _ := monitor.(string); t.runs(ctx, path) {
			monitors = append(monitors, monitor)
		}
	}
	configs["task_monitor_uri"] = monitors
	t.setInternal("raid_configs", map[string]any(configs))
	if len(monitors) > 0 {
		return ""
	}
	var reboots bool
	var err error
	pending, _ := dictOf(configs["pending"])
	switch {
	case len(pending) > 0:
		var volumes []db.Dict
		for _, controller := range slices.Sorted(maps.Keys(pending)) {
			volumes = append(volumes, dictsOf(pending[controller])...)
		}
		reboots, err = t.createVolumes(ctx, volumes)
	case configs["pending"] == true:
		reboots, err = t.deleteVolumes(ctx)
	default:
		t.dropInternal("raid_configs")
		t.save()
		if t.recordVolumes(ctx) != nil {
			return ""
		}
		if len(t.node.CleanStep) > 0 {
			return cleanSteps
		}
		return deploySteps
	}
	if err == nil && reboots {
		_, _ = t.rebootToFinishStep(ctx)
	}
	return ""
}

// runs reports whether a task of the BMC is still running. A task that cannot be read counts as completed.
func (t *task) runs(ctx context.Context, monitor string) bool {
	running := false
	err := t.connect(ctx, func(m *bmc, _ string) error {
		got, err := m.do(ctx, http.MethodGet, monitor, nil)
		running = got.status == http.StatusAccepted
		return err
	})
	return err == nil && running
}

// dropFailedRAID implements _query_raid_config_failed.
func (c *Conductor) dropFailedRAID(ctx context.Context) {
	for _, n := range c.raidRuns(cleanFail, deployFail) {
		if !n.Maintenance {
			continue
		}
		t, err := c.acquire(ctx, n.UUID, locking{noRetry: true})
		if err != nil {
			continue
		}
		if len(raidConfigs(t.node)) > 0 && slices.Contains([]string{cleanFail, deployFail}, t.node.ProvisionState) {
			t.dropInternal("raid_configs")
			t.save()
			_ = t.recordVolumes(ctx)
		}
		t.release()
	}
}
