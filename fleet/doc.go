// Package fleet keeps the live picture of all nodes of one Ironic. A [Poller] asks
// cheaply and often, the [Store] holds what is known, and the differences become
// [models.Event]s.
//
//	store := fleet.NewStore()
//	poller := fleet.NewPoller(client, store, fleet.Options{})
//	err := poller.Run(ctx, show) // until ctx ends
//
// How it polls, and what that costs Ironic, is measured by make bench: a page of the
// nodes that changed last each second while something moves, and the whole fleet only
// now and then, one page at a time.
package fleet
