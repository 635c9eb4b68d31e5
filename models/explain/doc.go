// Package explain determines why a node failed or is stuck. It contains the rules and the messages
// that they recognize, and derives the evidence, the next safe action, the progress of a ramdisk's
// boot, and the text of the STEP column.
//
// It does no I/O: [Explain] is a function of [Facts], which the caller gathers.
package explain
