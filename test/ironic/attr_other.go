//go:build unix && !linux

package ironic

import "syscall"

// procAttr puts a service into its own process group, which is signalled as a
// whole.
func procAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
