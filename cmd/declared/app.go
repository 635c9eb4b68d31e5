// Package declared implements the commands for inspection rules, deploy templates and runbooks, which are applied
// from files.
package declared

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app adds the commands of this package to a run of the program.
type app struct{ *cli.App }

// Commands returns the commands of the package.
func Commands(a *cli.App) []*cobra.Command {
	x := &app{a}
	return []*cobra.Command{
		x.rulesCommand(), x.templatesCommand(), x.runbooksCommand(),
	}
}
