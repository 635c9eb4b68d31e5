//go:build unix && !linux

package external

import "syscall"

// ownGroup lets the program and what it starts be ended together.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
