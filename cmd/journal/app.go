// Package journal has the commands that inspect, export and prune the journal.
package journal

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app is a run of the program.
type app struct{ *cli.App }

// Command returns the command journal.
func Command(a *cli.App) *cobra.Command { return (&app{a}).journalCommand() }
