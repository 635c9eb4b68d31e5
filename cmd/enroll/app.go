// Package enroll has the command that enrolls nodes from files and BMC addresses.
package enroll

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app is a run of the program.
type app struct{ *cli.App }

// Command returns the command enroll.
func Command(a *cli.App) *cobra.Command { return (&app{a}).enrollCommand() }
