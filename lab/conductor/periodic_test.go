package conductor

import (
	"context"
	"testing"

	"ironworks/lab/db"
)

// TestForEach checks that a periodic task visits the other nodes, too, if no worker is free for one of them.
func TestForEach(t *testing.T) {
	r := newRig(t)
	r.fake(manageable)
	r.fake(manageable)
	visits := 0
	r.c.forEach(t.Context(), locking{shared: true}, func(*db.Node) bool { return true }, func(*task, context.Context) error {
		visits++
		return noWorker()
	})
	if visits != 2 {
		t.Errorf("%d visits, want 2", visits)
	}
}

// TestFailLeftoverUpdate checks that a firmware update which is left over from an earlier operation does not fail the
// current one before its first step.
func TestFailLeftoverUpdate(t *testing.T) {
	r := newRig(t)
	node := r.fake(cleanWait, func(n *db.Node) { n.DriverInternalInfo = db.Dict{firmwareUpdates: []any{}} })
	r.must(r.c.withTask(t.Context(), node.UUID, locking{}, func(ctx context.Context, t *task) error {
		t.failUpdate(ctx, "too late")
		return nil
	}))
	_, left := r.node(node.UUID).DriverInternalInfo[firmwareUpdates]
	if node = r.node(node.UUID); node.ProvisionState != cleanWait || node.LastError != "" || left {
		t.Errorf("%s, error %q, updates left: %t", node.ProvisionState, node.LastError, left)
	}
}
