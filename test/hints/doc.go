// Package hints compares the console's reading of root device hints with the
// originals: Ironic's own validation and the agent's own search for a disk, of both
// releases, over random hints and inventories.
package hints
