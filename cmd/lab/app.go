// Package lab implements the commands for labs, which have simulated or virtual machines, and may have a real Ironic.
package lab

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app adds the command of this package to a run of the program.
type app struct{ *cli.App }

// Command returns the lab command.
func Command(a *cli.App) *cobra.Command { return (&app{a}).labCommand() }
