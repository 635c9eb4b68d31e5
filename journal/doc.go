// Package journal stores the history of nodes on disk: transitions, operations with the durations of their phases,
// snapshots, and ramdisk logs. It is the source of estimates, past operations and recordings.
//
// Each context has its own file, an SQLite database. A single goroutine writes to it in batches, so that recording
// never waits for the disk. If the program is killed, at most the last batch is lost. Several programs may share a
// file; a record that two of them have observed is stored only once. A failure never stops the program: it is
// reported once, and writing is retried.
//
// Lines are packed in groups of several hundred. A line is stored once even if several sources deliver it, because it
// is identified by its position in the journal of a boot. The size and the age of lines and snapshots are limited.
//
// The driver is modernc.org/sqlite, which is SQLite translated to Go. The alternative github.com/ncruces/go-sqlite3
// runs SQLite as WebAssembly, and takes seconds at each start to compile it.
package journal
