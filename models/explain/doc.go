// Package explain says why a node failed or does not go on: rules and the messages they know,
// the evidence, the next safe action, how far a ramdisk's boot has come, and the STEP column.
//
// It does no I/O: [Explain] is a function of [Facts], which the caller gathers.
package explain
