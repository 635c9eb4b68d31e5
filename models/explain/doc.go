// Package explain determines why a node failed or is stuck: rules and the messages they
// recognize, the evidence, the next safe action, the progress of a ramdisk's boot, and the STEP
// column.
//
// It does no I/O: [Explain] is a function of [Facts], which the caller gathers.
package explain
