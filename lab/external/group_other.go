//go:build !unix

package external

import "os/exec"

// This operating system has no process groups, so processes that the program starts are not ended.

func terminateGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
