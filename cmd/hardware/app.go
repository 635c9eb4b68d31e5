// Package hardware implements the commands for the hardware of a node: BMC, BIOS settings, firmware, RAID, disks,
// root device hints and inventory.
package hardware

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
		x.stepsCommand(), x.biosCommand(), x.firmwareCommand(), x.raidCommand(), x.inventoryCommand(), x.webConsoleCommand(), x.volumesCommand(), x.vendorCommand(), x.disksCommand(), x.hintsCommand(), x.agentCommand(), x.bmcCommand(),
	}
}
