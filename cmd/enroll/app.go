// Package enroll implements the command that enrolls nodes from files and BMC addresses.
package enroll

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app adds the command of this package to a run of the program.
type app struct{ *cli.App }

// Command returns the enroll command.
func Command(a *cli.App) *cobra.Command { return (&app{a}).enrollCommand() }
