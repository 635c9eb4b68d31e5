// Package replay plays back recorded states, events and ramdisk logs on the screens that showed them live. A
// [Recording] is one compressed file, which may be hostile. A [Player] plays the recording in place of a poller,
// Ironic's API and the log sources. A Player sends no requests.
package replay
