//go:build !unix

package external

import "os/exec"

// There are no process groups here: what the program starts is its own affair.

func terminateGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
