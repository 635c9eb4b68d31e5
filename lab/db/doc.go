// Package db is the database of the embedded Ironic: its objects and their tables, held in memory,
// and on disk if a folder is given.
//
// Read results are copies that never change; updates are functions that run exclusively. The
// package knows neither HTTP, machines nor the rules of provisioning.
package db
