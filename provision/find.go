package provision

import (
	"context"

	"ironworks/models"
)

// FindNodes fetches the nodes that an action is about, by name or uuid, [AtOnce] at a
// time. A node that is named twice is found once; one that is not there is an error,
// because acting on the others would not be what was asked for.
func FindNodes(ctx context.Context, api API, ids []string) ([]models.Node, error) {
	found := make([]*models.Node, len(ids))
	errs := make([]error, len(ids))
	inParallel(ctx, len(ids), func(going context.Context, i int) {
		found[i], errs[i] = api.Node(going, ids[i])
	})
	seen := map[string]bool{}
	var nodes []models.Node
	for i, n := range found {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if !seen[n.UUID] {
			seen[n.UUID] = true
			nodes = append(nodes, *n)
		}
	}
	return nodes, nil
}
