// Package declared implements the commands for inspection rules, deploy templates and runbooks, which are applied
// from files.
package declared

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app extends [cli.App] with the commands of this package.
type app struct{ *cli.App }

// Commands returns the commands of the package.
func Commands(a *cli.App) []*cobra.Command {
	x := &app{a}
	return []*cobra.Command{
		x.rulesCommand(), x.templatesCommand(), x.runbooksCommand(),
	}
}
