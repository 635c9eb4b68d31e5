// Package agentlog follows the log of a machine's ramdisk by all ways that work, the best
// one first: the journal over SSH, the journal that the machine sends, the serial console,
// what a conductor kept, and the agent's own sign of life. It understands lines, masks
// what is secret in them before anybody sees them, and says of each way that does not
// work why, and the way out.
package agentlog
