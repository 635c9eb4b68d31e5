//go:build !unix

package external

import "os/exec"

// There are no process groups on this system: processes that the program starts are not ended.

func terminateGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
