// Package hints compares the console's handling of root device hints with the original code, using random hints and
// inventories. The original code is Ironic's validation and the agent's search for a disk, in both releases.
package hints
