// Package ignition builds the Ignition configuration that turns a CoreOS live image into
// Ironic's deploy ramdisk.
package ignition
