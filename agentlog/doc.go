// Package agentlog follows the log of a machine's ramdisk from all available sources. These are, best one first, the
// journal over SSH, the journal that the machine pushes, the serial console, the conductor's archive, and the agent's
// status. It masks secrets before it parses a line. For each source that fails, it reports the reason and a remedy.
package agentlog
