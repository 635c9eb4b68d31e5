package real

import "syscall"

// procAttr puts a service into its own process group, which is signalled as a
// whole, and has the kernel end it when this program is gone.
func procAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
