// Package hints compares root device hints in the console with the originals, Ironic's validation and the agent's
// search for a disk of both releases, for random hints and inventories.
package hints
