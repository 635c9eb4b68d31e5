// Package fleet keeps a live list of all nodes of one Ironic. A [Poller] polls often at low cost,
// the [Store] has the nodes, and the differences become [models.Event]s.
//
//	store := fleet.NewStore()
//	poller := fleet.NewPoller(client, store, fleet.Options{})
//	err := poller.Run(ctx, show) // until ctx ends
//
// The poller reads a page of the nodes that changed last each second while anything changes, and
// lists the whole fleet only now and then, one page at a time. make bench measures what that costs
// Ironic.
package fleet
