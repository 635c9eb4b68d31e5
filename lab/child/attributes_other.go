//go:build !unix

package child

import "syscall"

// Attributes returns nil because this operating system has no process groups.
func Attributes() *syscall.SysProcAttr { return nil }
