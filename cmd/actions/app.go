// Package actions implements the commands that change nodes: provision verbs, power, flags and fields.
package actions

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app extends [cli.App] with the commands of this package.
type app struct{ *cli.App }

// Commands returns the commands of the package that [Verbs] does not return.
func Commands(a *cli.App) []*cobra.Command {
	x := &app{a}
	return []*cobra.Command{x.bringUpCommand(), x.powerCommand(), x.maintenanceCommand(), x.setCommand(), x.bootDeviceCommand(), x.deleteCommand()}
}

// Verbs returns the commands that send provision verbs. It also returns the commands that set or clear node flags,
// such as protect.
func Verbs(a *cli.App) []*cobra.Command {
	x := &app{a}
	return append(x.verbCommands(), x.flagCommands()...)
}
