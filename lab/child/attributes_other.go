//go:build !unix

package child

import "syscall"

// Attributes returns nil: there are no process groups on this system.
func Attributes() *syscall.SysProcAttr { return nil }
