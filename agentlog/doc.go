// Package agentlog follows the log of a machine's ramdisk from all available sources. In order of preference, these
// are the journal over SSH, the journal that the machine pushes, the serial console, the conductor's archive, and the
// agent's status. The package masks secrets before it parses a line. For each source that fails, it reports the
// reason and a remedy.
package agentlog
