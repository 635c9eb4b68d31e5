// Package db is the database of the embedded Ironic: its objects and their
// tables, held in memory, and on disk where a folder is given.
//
// What is read is a copy, and stays as it was; what is to be changed is changed
// by a function that runs alone. Nothing here knows HTTP, machines or the rules
// of provisioning.
package db
