package conductor

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"ironworks/lab/db"
)

// raidConfigs is the field of driver_internal_info that stores pending volume changes.
const raidConfigs = "raid_configs"

// pollRAID implements _query_raid_config_status. Like Ironic, it does not poll nodes during servicing, so they wait
// until their timeout.
func (c *Conductor) pollRAID(ctx context.Context) {
	c.eachRedfish(ctx, locking{noRetry: true}, "raid", raidConfigs, []string{cleanWait, deployWait}, (*task).checkRAIDTasks)
}

// checkRAIDTasks implements _check_node_raid_config. It resumes the step once no change is pending any more. After an
// error, the node keeps waiting.
func (t *task) checkRAIDTasks(ctx context.Context) error {
	stored, _ := dictOf(t.internal(raidConfigs))
	configs := maps.Clone(stored)
	given, _ := configs["task_monitor_uri"].([]any)
	monitors := []any{}
	for _, monitor := range given {
		if path, _ := monitor.(string); t.runs(ctx, path) {
			monitors = append(monitors, monitor)
		}
	}
	configs["task_monitor_uri"] = monitors
	t.setInternal(raidConfigs, map[string]any(configs))
	if len(monitors) > 0 {
		return nil
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
		if err := t.endRAID(ctx); err != nil {
			return err
		}
		return t.resumeStep(ctx)
	}
	if err == nil && reboots {
		_, err = t.rebootToFinishStep(ctx)
	}
	return err
}

// endRAID removes the pending volume changes and records the volumes.
func (t *task) endRAID(ctx context.Context) error {
	t.dropInternal(raidConfigs)
	t.save()
	return t.recordVolumes(ctx)
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
	c.eachRedfish(ctx, locking{noRetry: true}, "raid", raidConfigs, []string{cleanFail, deployFail}, func(t *task, ctx context.Context) error {
		if !t.node.Maintenance {
			return nil
		}
		return t.endRAID(ctx)
	})
}
