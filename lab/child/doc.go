// Package child starts the lab's programs in process groups of their own, so that Ctrl-C does not reach them, and that
// they end with the lab's process if the kernel supports that.
package child
