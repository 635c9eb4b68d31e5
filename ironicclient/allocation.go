package ironicclient

import (
	"context"
	"net/http"

	"ironworks/models"
)

// CreateAllocation asks Ironic to reserve a node. Accepted, not done: see
// [Client.Allocation] for how it ends.
func (c *Client) CreateAllocation(ctx context.Context, r models.AllocationRequest) (requestID string, err error) {
	return c.act(ctx, call{
		op: "create allocation " + models.Printable(r.UUID), method: http.MethodPost, path: segments("allocations"), body: r,
	})
}

// DeleteAllocation gives the allocation's node back.
func (c *Client) DeleteAllocation(ctx context.Context, id string) (requestID string, err error) {
	return c.act(ctx, call{
		op: "delete allocation " + models.Printable(id), method: http.MethodDelete, path: segments("allocations", id),
	})
}
