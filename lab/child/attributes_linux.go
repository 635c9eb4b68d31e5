package child

import "syscall"

// Attributes put a process into its own group, and have the kernel kill it when the thread that
// started it ends, as all threads do when this process is killed.
func Attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
