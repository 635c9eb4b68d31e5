// Package replay plays back recorded states, events and ramdisk logs on the same screens on which
// they were seen live. A [Recording] is one compressed file, which may be hostile; a [Player]
// plays it in place of a poller, of Ironic's API and of the log sources. It sends no requests.
package replay
