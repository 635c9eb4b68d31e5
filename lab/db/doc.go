// Package db is the database of the embedded Ironic. It consists of tables of Ironic's objects, held in memory and,
// if a folder is given, also on disk.
//
// Results of reads never change afterward; updates are functions that run exclusively. The package knows nothing
// about HTTP, machines or the rules of provisioning.
package db
