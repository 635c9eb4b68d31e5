// Package fleet keeps a live list of all nodes of one Ironic. A [Poller] polls frequently at low cost, the [Store]
// holds the nodes, and changes are reported as [models.Event]s.
//
//	store := fleet.NewStore()
//	poller := fleet.NewPoller(client, store, fleet.Options{})
//	err := poller.Run(ctx, show) // until ctx is canceled
//
// While anything changes, the poller reads a page of the most recently changed nodes every second. It lists the whole
// fleet only now and then, one page at a time. The load on Ironic can be measured with "make bench".
package fleet
