// Package enroll implements the command that enrolls nodes from files and BMC addresses.
package enroll

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app extends [cli.App] with the command of this package.
type app struct{ *cli.App }

// Command returns the enroll command.
func Command(a *cli.App) *cobra.Command { return (&app{a}).enrollCommand() }
