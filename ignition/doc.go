// Package ignition makes the configuration that turns a CoreOS live image into Ironic's deploy
// ramdisk.
package ignition
