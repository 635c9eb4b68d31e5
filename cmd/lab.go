package cmd

import (
	"github.com/spf13/cobra"

	"ironworks/lab"
)

func (a *app) labCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "lab up|machines|snapshot|restore|scenarios", Short: "Run simulated or virtual machines to try things on",
		Long: "Machines that do not exist: a Redfish BMC, disks, and ironic-python-agent's protocol when they boot\n" +
			"a deploy ramdisk. Any Ironic drives them as it drives real ones.",
	}
	cmd.AddCommand(a.labUpCommand(), a.labMachinesCommand(), a.labSnapshotCommand(), a.labRestoreCommand(), a.labScenariosCommand())
	return needsSubcommand(cmd)
}

func (a *app) labScenariosCommand() *cobra.Command {
	return &cobra.Command{
		Use: "scenarios", Short: "List what can be wrong with a lab's machine", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			type scenario struct {
				Name    string `json:"name" yaml:"name"`
				Summary string `json:"summary" yaml:"summary"`
			}
			var list []scenario
			r := result{header: []string{"NAME", "THE MACHINE"}}
			for _, s := range lab.Scenarios() {
				list = append(list, scenario{s.Name, s.Summary})
				r.names = append(r.names, s.Name)
				r.rows = append(r.rows, []string{s.Name, s.Summary})
			}
			r.data = list
			return a.print(r)
		},
	}
}
