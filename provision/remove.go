package provision

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/request"
)

// MarkedNodes returns the nodes whose extra field contains the key.
func MarkedNodes(ctx context.Context, client *ironicclient.Client, key string) (marked []models.Node, err error) {
	query := ironicclient.NodeQuery{Fields: []string{"uuid", "name", "extra", "maintenance"}, KeepRaw: true}
	err = client.EachPage(ctx, query, func(page *ironicclient.NodePage) error {
		for _, n := range page.Nodes {
			var raw struct {
				Extra map[string]any `json:"extra"`
			}
			if json.Unmarshal(n.Raw, &raw) == nil && raw.Extra[key] != nil {
				marked = append(marked, n)
			}
		}
		return nil
	})
	return marked, err
}

// RemoveNodes deletes the nodes of simulated machines in any state, without undeploying them. Ironic allows this only
// in maintenance, so RemoveNodes sets maintenance first, with why as the reason.
func RemoveNodes(ctx context.Context, client *ironicclient.Client, nodes []models.Node, why string) (removed int, err error) {
	for i := range nodes {
		n := &nodes[i]
		var failed error
		if !n.Maintenance {
			failed = onceUnlocked(ctx, func() error {
				_, err := client.Send(ctx, request.Maintenance(n.UUID, true, why))
				return err
			})
		}
		if failed == nil {
			failed = onceUnlocked(ctx, func() error { return client.DeleteNode(ctx, n.UUID) })
		}
		if failed == nil {
			removed++
		}
		err = errors.Join(err, failed)
	}
	return removed, err
}

const (
	// lockedFor is the maximum time to wait for a node that a conductor has locked. A conductor retries an
	// unreachable BMC before it gives up.
	lockedFor = 3 * time.Minute
	// unlockPoll is the delay between attempts.
	unlockPoll = 2 * time.Second
)

// onceUnlocked calls do. As long as it fails because a conductor has locked the node, do is called again, for at most
// [lockedFor].
func onceUnlocked(ctx context.Context, do func() error) error {
	for start := time.Now(); ; {
		err := do()
		if !models.IsFault(err, models.FaultLocked) || time.Since(start) >= lockedFor || wait(ctx, unlockPoll) != nil {
			return err
		}
	}
}
