//go:build !linux

package child

import "syscall"

// Attributes returns attributes that put a process into a separate process group.
func Attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
