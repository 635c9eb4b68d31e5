//go:build !unix

package child

import "syscall"

// Attributes are nil: there are no process groups here.
func Attributes() *syscall.SysProcAttr { return nil }
