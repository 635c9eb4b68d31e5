package vm

import "syscall"

// diesWithUs has the kernel end QEMU when this process is killed: nothing else would.
func diesWithUs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
