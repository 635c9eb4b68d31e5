// Package journal implements the commands that inspect, export and prune the journal.
package journal

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app extends [cli.App] with the command of this package.
type app struct{ *cli.App }

// Command returns the journal command.
func Command(a *cli.App) *cobra.Command { return (&app{a}).journalCommand() }
