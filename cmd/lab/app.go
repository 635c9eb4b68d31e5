// Package lab has the commands of the lab: simulated machines, real Ironics and virtual machines.
package lab

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app is a run of the program.
type app struct{ *cli.App }

// Command returns the command lab.
func Command(a *cli.App) *cobra.Command { return (&app{a}).labCommand() }
