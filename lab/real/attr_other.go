//go:build unix && !linux

package real

import "syscall"

// procAttr puts a service into its own process group, which is signalled as a
// whole.
func procAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
