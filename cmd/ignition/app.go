// Package ignition implements the commands that build, check, embed, serve and apply Ignition configurations.
package ignition

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app adds the command of this package to a run of the program.
type app struct{ *cli.App }

// Command returns the ignition command.
func Command(a *cli.App) *cobra.Command { return (&app{a}).ignitionCommand() }
