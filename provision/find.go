package provision

import (
	"context"
	"sync"

	"ironworks/models"
)

// FindNodes fetches the nodes that an action is about, by name or uuid, [AtOnce] at a
// time. A node that is named twice is found once; one that is not there is an error,
// because acting on the others would not be what was asked for.
func FindNodes(ctx context.Context, api API, ids []string) ([]models.Node, error) {
	found := make([]*models.Node, len(ids))
	errs := make([]error, len(ids))
	slots := make(chan struct{}, AtOnce)
	var wg sync.WaitGroup
	for i, id := range ids {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			found[i], errs[i] = api.Node(ctx, id)
		})
	}
	wg.Wait()
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
