// Package ignition has the commands that build, check, embed, serve and apply Ignition configurations.
package ignition

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app is a run of the program.
type app struct{ *cli.App }

// Command returns the command ignition.
func Command(a *cli.App) *cobra.Command { return (&app{a}).ignitionCommand() }
