// Package replay plays back what was kept of nodes: how they stood, what happened to them
// and what their ramdisks wrote, on the same screens on which it was seen. A [Recording]
// is one compressed file that its reader trusts in nothing; a [Player] shows it in the
// place of a poller, of Ironic's API and of the sources of logs. It asks nobody anything.
package replay
