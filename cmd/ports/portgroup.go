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
	cmd := &cobra.Command{Use: "portgroup list|create|set|delete"}
	cmd.AddCommand(a.portgroupListCommand(), a.portgroupCreateCommand(), a.portgroupSetCommand(), a.portgroupDeleteCommand())
	return cli.NeedsSubcommand(cmd)
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

func (a *app) portgroupCreateCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "create NODE NAME [KEY=VALUE…]", Args: cobra.MinimumNArgs(2), ValidArgsFunction: a.CompleteNodes(1)}
	return a.portActionCommand(cmd, func(ctx context.Context, s *session.Session, args []string) (*provision.PortAction, error) {
		node, err := cli.OneNode(ctx, s, args[0])
		if err != nil {
			return nil, err
		}
		return provision.CreatePortgroup(ctx, s.Client, node, args[1], args[2:])
	})
}

func (a *app) portgroupSetCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "set PORTGROUP KEY=VALUE…", Args: cobra.MinimumNArgs(2)}
	return a.portActionCommand(cmd, func(ctx context.Context, s *session.Session, args []string) (*provision.PortAction, error) {
		return provision.SetPortgroup(ctx, s.Client, args[0], args[1:])
	})
}

func (a *app) portgroupDeleteCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "delete PORTGROUP…", Args: cobra.MinimumNArgs(1)}
	return a.portActionCommand(cmd, func(ctx context.Context, s *session.Session, args []string) (*provision.PortAction, error) {
		return provision.DeletePortgroups(ctx, s.Client, args)
	})
}
