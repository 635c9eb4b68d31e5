package child

import "syscall"

// Attributes returns attributes that put a process into a separate process group. The kernel kills the process when
// the thread that started it ends, as all threads do when the lab's process is killed.
func Attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
