// Package child provides the attributes of the processes that the lab starts. They have separate process groups, so
// that Ctrl-C does not reach them, and they end with the lab's process if the kernel supports that.
package child
