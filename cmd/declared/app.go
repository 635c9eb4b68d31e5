// Package declared implements the commands for inspection rules, deploy templates and runbooks, which are applied
// from files.
package declared

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/stepfile"
)

// app extends [cli.App] with the commands of this package.
type app struct{ *cli.App }

// Commands returns the commands of the package.
func Commands(a *cli.App) []*cobra.Command {
	x := &app{a}
	return []*cobra.Command{
		x.rulesCommand(), x.stepFilesCommand("templates", stepfile.Template), x.stepFilesCommand("runbooks", stepfile.Runbook),
	}
}
