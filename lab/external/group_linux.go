package external

import "syscall"

// ownGroup lets the program and what it starts be ended together, and has the
// kernel end it when this process is gone.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
