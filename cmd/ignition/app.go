// Package ignition implements the commands that build, check, embed, serve and apply Ignition configurations.
package ignition

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app extends [cli.App] with the command of this package.
type app struct{ *cli.App }

// Command returns the ignition command.
func Command(a *cli.App) *cobra.Command { return (&app{a}).ignitionCommand() }
