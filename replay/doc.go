// Package replay plays back recorded states, events and ramdisk logs on the screens that showed them live. A
// [Recording] is one compressed file, which may be hostile. A [Player] sends no requests.
package replay
