package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"ironworks/ironicclient"
	"ironworks/lab"
	"ironworks/models"
	"ironworks/models/request"
	"ironworks/provision"
)

// labMark is what the console's own labs write into the extra of their nodes.
const labMark = "machines"

// labClean removes the nodes that lab machines --enrol has made, whatever state they are
// in. Their machines do not exist, so that nothing is undeployed.
func (a *app) labClean(ctx context.Context, client *ironicclient.Client) error {
	var ours []models.Node
	query := ironicclient.NodeQuery{Fields: []string{"uuid", "name", "extra", "maintenance"}, KeepRaw: true}
	err := client.EachPage(ctx, query, func(page *ironicclient.NodePage) error {
		for _, n := range page.Nodes {
			var raw struct {
				Extra map[string]any `json:"extra"`
			}
			if json.Unmarshal(n.Raw, &raw) == nil && raw.Extra[lab.Mark] != nil {
				ours = append(ours, n)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var errs []error
	for _, n := range ours {
		if err := removeNode(ctx, client, &n); err != nil {
			errs = append(errs, err)
		}
	}
	a.complain("removed %d of %d nodes of labs", len(ours)-len(errs), len(ours))
	return errors.Join(errs...)
}

// removeNode removes a node in any state: Ironic does that in maintenance.
func removeNode(ctx context.Context, client *ironicclient.Client, n *models.Node) error {
	if !n.Maintenance {
		err := onceUnlocked(ctx, clock{}, func() error {
			_, err := client.Send(ctx, request.Maintenance(n.UUID, true, "its machine was one of a lab"))
			return err
		})
		if err != nil {
			return err
		}
	}
	return onceUnlocked(ctx, clock{}, func() error { return client.DeleteNode(ctx, n.UUID) })
}

const (
	// lockedFor is how long a conductor may keep a node locked: it looks for a BMC that is
	// gone, and tries again before it gives up.
	lockedFor = 3 * time.Minute
	// lookAgain is how often is looked whether it still does.
	lookAgain = 2 * time.Second
)

// onceUnlocked does something to a node as soon as no conductor has it locked.
func onceUnlocked(ctx context.Context, c provision.Clock, do func() error) error {
	for began := c.Now(); ; {
		err := do()
		var fault *models.Fault
		if !errors.As(err, &fault) || fault.Kind != models.FaultLocked || c.Now().Sub(began) >= lockedFor {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-c.After(lookAgain):
		}
	}
}
