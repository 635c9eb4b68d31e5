// Package agentlog follows the log of a machine's ramdisk from all available sources, the best one
// first: the journal over SSH, the journal that the machine pushes, the serial console, the
// conductor's archive, and the agent's status. It parses lines, masks secrets in them first, and
// reports for each failing source why it fails, and the remedy.
package agentlog
