package provision

import (
	"context"

	"ironworks/models"
	"ironworks/models/hints"
)

// FindNodes fetches nodes by name or UUID, [Concurrency] at a time, and removes duplicates. It is an error if a node
// is missing, because the operator named each of them.
func FindNodes(ctx context.Context, api API, ids []string) ([]models.Node, error) {
	found, errs := readEach(ctx, ids, func(going context.Context, id string) (*models.Node, error) { return api.Node(going, id) })
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

// FindUnfinished fetches the nodes of unfinished deployments. gone lists those whose nodes have been deleted.
func FindUnfinished(ctx context.Context, api API, list []Unfinished) (nodes []models.Node, gone []Unfinished, err error) {
	found, errs := readEach(ctx, list, func(going context.Context, u Unfinished) (*models.Node, error) { return api.Node(going, u.Node.UUID) })
	for i, n := range found {
		switch {
		case models.IsFault(errs[i], models.FaultNotFound):
			gone = append(gone, list[i])
		case errs[i] != nil:
			return nil, nil, errs[i]
		default:
			nodes = append(nodes, *n)
		}
	}
	return nodes, gone, nil
}

// ReadHardware reads the inventories of nodes, [Concurrency] at a time, so that filters can use them. The each function
// is called for every node, from several goroutines. If a node was not inspected, its hardware's Inspected
// field is unset.
func ReadHardware(ctx context.Context, api Inventories, uuids []string, each func(uuid string, hardware *models.Hardware, err error)) {
	InParallel(ctx, len(uuids), func(going context.Context, i int) {
		raw, err := api.Inventory(going, uuids[i])
		var hardware models.Hardware
		switch {
		case models.IsFault(err, models.FaultNotFound):
			err = nil
		case err == nil:
			hardware, err = hints.DecodeHardware(raw)
		}
		if err != nil {
			each(uuids[i], nil, err)
			return
		}
		each(uuids[i], &hardware, nil)
	})
}
