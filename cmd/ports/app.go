// Package ports implements the commands for ports, port groups and VIFs.
package ports

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
		x.portCommand(), x.portgroupCommand(), x.vifCommand(),
	}
}
