// Package child provides process attributes for the programs that the lab starts. On Unix, each program gets a
// separate process group, so that Ctrl-C does not reach it. On Linux, the kernel also kills the program when the
// lab's process ends.
package child
