package replay

import (
	"context"
	"time"

	"ironworks/models"
	"ironworks/models/request"
)

// What acts on nodes is refused: the machines of a recording are elsewhere, and later.

func refused(what string) error {
	return &models.Fault{
		Kind: models.FaultReadOnly, Op: what, Message: "a recording plays: nothing is sent", Hint: "open the console on the Ironic itself",
	}
}

// NodeAt gives a node as it was kept, and the moment that is shown.
func (a *Answers) NodeAt(ctx context.Context, id string, fields ...string) (*models.Node, time.Time, error) {
	n, err := a.Node(ctx, id, fields...)
	at, _ := a.player.moment()
	return n, at, err
}

// Send is refused.
func (a *Answers) Send(_ context.Context, r request.Request) (string, error) {
	return "", refused(r.Op)
}

// Allocation is refused: recordings have none.
func (a *Answers) Allocation(context.Context, string) (*models.Allocation, error) {
	return nil, refused("read an allocation")
}
