// Package journal stores the history of nodes on disk: transitions, operations with the durations of their phases,
// snapshots, and ramdisk logs. Estimates, past operations and recordings come from it.
//
// Each context has its own file, an SQLite database. One goroutine writes, in batches, so that recording never waits
// for the disk. A program that is killed loses at most the last batch. Several programs may share a file; a record
// that two of them have observed is stored once. A failure never stops the program: it is reported once, and writing
// is retried.
//
// Lines are packed, some hundred together, and stored once even if several sources deliver them: the position in the
// journal of a boot identifies a line. Size and age of lines and snapshots are limited.
//
// The driver is modernc.org/sqlite, SQLite translated to Go. github.com/ncruces/go-sqlite3, which runs SQLite as
// WebAssembly, takes seconds at each start to compile it.
package journal
