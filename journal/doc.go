// Package journal keeps on disk what happened to nodes: transitions, pieces of work with
// how long their phases took, how nodes stood, and what their ramdisks wrote. It is where
// "others took", the past deployments and recordings come from.
//
// Each context has a file of its own, an SQLite database. One goroutine writes, in
// batches, so that nobody who notes something waits for a disk. A program that is
// killed loses at most the last batch; several may share a file, and what two of them
// saw of one thing is kept once. Nothing that goes wrong here keeps anybody from
// working: it is told once, and tried again.
//
// Lines are packed, some hundred together, and kept once whatever the ways by which they
// come: what a line is, is its place in the journal of a boot. They and the pictures are
// bounded by size and by age.
//
// The driver is modernc.org/sqlite, SQLite translated to Go. github.com/ncruces/go-sqlite3,
// which runs SQLite as WebAssembly, takes seconds at each start to compile it.
package journal
