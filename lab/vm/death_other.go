//go:build !linux

package vm

import "syscall"

// diesWithUs keeps a terminal's Ctrl-C from QEMU.
func diesWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
