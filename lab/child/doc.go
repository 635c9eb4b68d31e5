// Package child has what is common to the programs that the lab starts: they are in process
// groups of their own, so that Ctrl-C does not reach them, and end with us where the kernel
// can see to that.
package child
