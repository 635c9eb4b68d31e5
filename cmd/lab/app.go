// Package lab implements the commands for labs. A lab consists of simulated or virtual machines, and an embedded, a
// real or an existing Ironic.
package lab

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app extends [cli.App] with the command of this package.
type app struct{ *cli.App }

// Command returns the lab command.
func Command(a *cli.App) *cobra.Command { return (&app{a}).labCommand() }
