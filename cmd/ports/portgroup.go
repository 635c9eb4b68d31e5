package ports

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) portgroupCommand() *cobra.Command {
	return cli.Group("portgroup list|create|set|delete",
		a.portgroupListCommand(), a.createCommand("create NODE NAME [KEY=VALUE…]", provision.CreatePortgroup), a.portgroupSetCommand(),
		a.deleteCommand("delete PORTGROUP…", provision.DeletePortgroups))
}

func (a *app) portgroupListCommand() *cobra.Command {
	var nodes []string
	cmd := &cobra.Command{
		Use: "list", Args: cobra.NoArgs,
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
			groups, err := readParts(cmd.Context(), s, nodes, s.Client.RawPortgroups)
			if err != nil {
				return err
			}
			members := map[string]int{}
			if len(groups.rows) > 0 {
				all, err := readParts(cmd.Context(), s, nodes, s.Client.RawPorts)
				if err != nil {
					return err
				}
				for _, row := range all.rows {
					members[models.TextOf(row["portgroup_uuid"])]++
				}
			}
			r := cli.Result{
				Header: []string{"NODE", "NAME", "MODE", "ADDRESS", "STANDALONE", "PORTS", "UUID"}, Data: groups.rows, Empty: "No port groups.",
			}
			for _, g := range groups.rows {
				id, name := models.TextOf(g["uuid"]), models.TextOf(g["name"])
				r.Rows = append(r.Rows, []string{
					groups.node(g), name, models.TextOf(g["mode"]), models.TextOf(g["address"]), cli.YesNo(g["standalone_ports_supported"] == true),
					fmt.Sprint(members[id]), id,
				})
				if name == "" {
					name = id
				}
				r.Names = append(r.Names, name)
			}
			return a.Print(r)
		}),
	}
	cmd.Flags().StringArrayVar(&nodes, "node", nil, "only the port groups of this node; may be repeated")
	return cmd
}

func (a *app) portgroupSetCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "set PORTGROUP KEY=VALUE…", Args: cobra.MinimumNArgs(2)}
	return a.portActionCommand(cmd, func(ctx context.Context, s *session.Session, args []string) (*provision.PortAction, error) {
		return provision.SetPortgroup(ctx, s.Client, args[0], args[1:])
	})
}
