// Package ports implements the commands for ports, port groups and VIFs.
package ports

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/ports"
	"ironworks/provision"
	"ironworks/session"
)

type portFlags struct {
	cli.ActFlags
	dryRun bool
}

func (f *portFlags) register(cmd *cobra.Command) {
	f.Register(cmd, false)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the requests without sending them")
}

// actOnPorts carries out an action on ports, port groups or VIFs. With --dry-run it only shows the requests.
func (a *app) actOnPorts(cmd *cobra.Command, s *session.Session, action *provision.PortAction, flags portFlags) error {
	runner := s.Runner(nil)
	plan, err := runner.Prepare(cmd.Context(), action, action.Nodes())
	if err != nil {
		return err
	}
	if flags.dryRun {
		return a.PrintPreviews(plan.Preview())
	}
	return a.CarryOut(cmd, s, runner, plan, flags.ActFlags)
}

// readParts lists the ports or port groups of the named nodes, or of all nodes if none is named. It adds the names of
// their nodes as node_name, and sorts the list by these names.
func readParts(
	ctx context.Context, s *session.Session, nodes []string, list func(ctx context.Context, node string) ([]map[string]any, error),
) ([]map[string]any, error) {
	parts, names := []map[string]any{}, map[string]string{}
	if len(nodes) == 0 {
		all, err := list(ctx, "")
		if err != nil {
			return nil, err
		}
		parts = append(parts, all...)
		err = s.Client.EachPage(ctx, ironicclient.NodeQuery{Fields: []string{"uuid", "name"}}, func(page *ironicclient.NodePage) error {
			for i := range page.Nodes {
				names[page.Nodes[i].UUID] = page.Nodes[i].Label()
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	found, err := provision.FindNodes(ctx, s.Client, nodes)
	if err != nil {
		return nil, err
	}
	for i := range found {
		names[found[i].UUID] = found[i].Label()
		rows, err := list(ctx, found[i].UUID)
		if err != nil {
			return nil, err
		}
		parts = append(parts, rows...)
	}
	for _, row := range parts {
		id := models.TextOf(row["node_uuid"])
		row["node_name"] = cmp.Or(names[id], id)
	}
	slices.SortStableFunc(parts, func(x, y map[string]any) int { return strings.Compare(nodeName(x), nodeName(y)) })
	return parts, nil
}

func nodeName(part map[string]any) string { return models.TextOf(part["node_name"]) }

func (a *app) portListCommand() *cobra.Command {
	var nodes []string
	cmd := &cobra.Command{
		Use: "list", Args: cobra.NoArgs,
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, _ []string) error {
			ctx := cmd.Context()
			rows, err := readParts(ctx, s, nodes, s.Client.RawPorts)
			if err != nil {
				return err
			}
			groups := map[string]string{}
			if slices.ContainsFunc(rows, func(row map[string]any) bool { return row["portgroup_uuid"] != nil }) {
				all, err := readParts(ctx, s, nodes, s.Client.RawPortgroups)
				if err != nil {
					return err
				}
				for _, g := range all {
					groups[models.TextOf(g["uuid"])] = models.TextOf(g["name"])
				}
			}
			return a.Print(portTable(rows, groups))
		}),
	}
	cmd.Flags().StringArrayVar(&nodes, "node", nil, "only the ports of this node; may be repeated")
	return cmd
}

func portTable(rows []map[string]any, groups map[string]string) cli.Result {
	r := cli.Result{Header: []string{"NODE", "ADDRESS", "PXE", "NAME", "PHYSICAL NET", "GROUP", "SWITCH", "SWITCH PORT", "UUID"}, Data: rows, Empty: "No ports."}
	for _, row := range rows {
		link, _ := row["local_link_connection"].(map[string]any)
		group := models.TextOf(row["portgroup_uuid"])
		group = cmp.Or(groups[group], group)
		switchName := cmp.Or(models.TextOf(link["switch_info"]), models.TextOf(link["switch_id"]), models.TextOf(link["hostname"]))
		r.Add(models.TextOf(row["address"]),
			nodeName(row), models.TextOf(row["address"]), models.YesNo(row["pxe_enabled"] == true), models.TextOf(row["name"]),
			models.TextOf(row["physical_network"]), group, switchName, models.TextOf(link["port_id"]), models.TextOf(row["uuid"]),
		)
	}
	return r
}

// portActionCommand adds flags and a RunE function to a command that changes ports, port groups or VIFs. The RunE
// function passes the command's arguments to prepare, and runs the action that prepare returns.
func (a *app) portActionCommand(cmd *cobra.Command, prepare func(ctx context.Context, s *session.Session, args []string) (*provision.PortAction, error)) *cobra.Command {
	var flags portFlags
	cmd.RunE = a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
		action, err := prepare(cmd.Context(), s, args)
		if err != nil {
			return err
		}
		return a.actOnPorts(cmd, s, action, flags)
	})
	flags.register(cmd)
	return cmd
}

func (a *app) createCommand(use string, create func(
	ctx context.Context, api provision.PortAPI, node *models.Node, name string, settings []string,
) (*provision.PortAction, error),
) *cobra.Command {
	cmd := &cobra.Command{Use: use, Args: cobra.MinimumNArgs(2), ValidArgsFunction: a.CompleteNodes(1)}
	return a.portActionCommand(cmd, func(ctx context.Context, s *session.Session, args []string) (*provision.PortAction, error) {
		node, err := s.Client.Node(ctx, args[0])
		if err != nil {
			return nil, err
		}
		return create(ctx, s.Client, node, args[1], args[2:])
	})
}

func (a *app) deleteCommand(use string, remove func(
	ctx context.Context, api provision.PortAPI, ids []string,
) (*provision.PortAction, error),
) *cobra.Command {
	cmd := &cobra.Command{Use: use, Args: cobra.MinimumNArgs(1)}
	return a.portActionCommand(cmd, func(ctx context.Context, s *session.Session, args []string) (*provision.PortAction, error) {
		return remove(ctx, s.Client, args)
	})
}

func (a *app) portSetCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "set PORT… KEY=VALUE…", Args: cobra.MinimumNArgs(2)}
	return a.portActionCommand(cmd, func(ctx context.Context, s *session.Session, args []string) (*provision.PortAction, error) {
		ids, settings := cli.SplitSettings(args, true)
		if len(ids) == 0 || len(settings) == 0 {
			return nil, cli.Usagef("port set: give PORT… KEY=VALUE…")
		}
		return provision.SetPorts(ctx, s.Client, ids, settings)
	})
}

type portFindings struct {
	Node     models.NodeRef  `json:"node"`
	Findings []ports.Finding `json:"findings"`
}

func (a *app) portSuggestCommand() *cobra.Command {
	var flags portFlags
	var apply bool
	cmd := a.NodesCommand("suggest NODE…", 1, func(cmd *cobra.Command, s *session.Session, nodes []models.Node) error {
		ctx := cmd.Context()
		reports := make([]provision.PortReport, len(nodes))
		for i := range nodes {
			var err error
			if reports[i], err = provision.ComparePorts(ctx, s.Client, &nodes[i]); err != nil {
				return err
			}
		}
		if !apply && !flags.dryRun {
			return a.Print(findingTable(reports))
		}
		action, err := provision.CreateMissingPorts(ctx, s.Client, reports)
		switch {
		case err != nil:
			return err
		case action.Empty():
			a.PrintMessage("no port is missing")
			return a.Print(findingTable(reports))
		}
		return a.actOnPorts(cmd, s, action, flags)
	})
	flags.register(cmd)
	cmd.Flags().BoolVar(&apply, "apply", false, "create the missing ports")
	return cmd
}

func findingTable(reports []provision.PortReport) cli.Result {
	r := cli.Result{Header: []string{"NODE", "FINDING", "DETAILS", "REMEDY"}, Empty: "No findings: the ports match the inventory."}
	data := make([]portFindings, len(reports))
	for i := range reports {
		node := reports[i].Node
		data[i] = portFindings{Node: node.Ref(), Findings: cli.NonNil(reports[i].Findings)}
		for _, f := range reports[i].Findings {
			remedy := ""
			if f.Remedy != "" {
				remedy = "ironworks " + f.Remedy
			}
			r.Rows = append(r.Rows, []string{node.Label(), string(f.Kind), f.Text, remedy})
		}
		if len(reports[i].Findings) > 0 {
			r.Names = append(r.Names, node.Label())
		}
	}
	r.Data = data
	return r
}

type app struct{ *cli.App }

// Commands returns the commands of the package.
func Commands(a *cli.App) []*cobra.Command {
	x := &app{a}
	return []*cobra.Command{
		cli.Group("port list|create|set|delete|suggest",
			x.portListCommand(), x.createCommand("create NODE MAC [KEY=VALUE…]", provision.CreatePort), x.portSetCommand(),
			x.deleteCommand("delete PORT…", provision.DeletePorts), x.portSuggestCommand()),
		cli.Group("portgroup list|create|set|delete",
			x.portgroupListCommand(), x.createCommand("create NODE NAME [KEY=VALUE…]", provision.CreatePortgroup), x.portgroupSetCommand(),
			x.deleteCommand("delete PORTGROUP…", provision.DeletePortgroups)),
		cli.Group("vif list|attach|detach", x.vifListCommand(), x.vifAttachCommand(), x.vifDetachCommand()),
	}
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
			if len(groups) > 0 {
				all, err := readParts(cmd.Context(), s, nodes, s.Client.RawPorts)
				if err != nil {
					return err
				}
				for _, row := range all {
					members[models.TextOf(row["portgroup_uuid"])]++
				}
			}
			r := cli.Result{
				Header: []string{"NODE", "NAME", "MODE", "ADDRESS", "STANDALONE", "PORTS", "UUID"}, Data: groups, Empty: "No port groups.",
			}
			for _, g := range groups {
				id, name := models.TextOf(g["uuid"]), models.TextOf(g["name"])
				r.Rows = append(r.Rows, []string{
					nodeName(g), name, models.TextOf(g["mode"]), models.TextOf(g["address"]), models.YesNo(g["standalone_ports_supported"] == true),
					fmt.Sprint(members[id]), id,
				})
				r.Names = append(r.Names, cmp.Or(name, id))
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

func (a *app) vifListCommand() *cobra.Command {
	return a.NodeCommand("list NODE", func(cmd *cobra.Command, s *session.Session, node *models.Node) error {
		list, err := provision.NodeVIFs(cmd.Context(), s.Client, node)
		if err != nil {
			return err
		}
		r := cli.Result{Header: []string{"VIF", "PORT", "PORT GROUP"}, Data: cli.NonNil(list), Empty: "No VIFs are attached."}
		if node.NetworkInterface == "noop" {
			r.Empty = fmt.Sprintf("No VIFs: the %s network interface does not attach any.", node.NetworkInterface)
		}
		for _, v := range list {
			r.Add(v.ID, v.ID, v.Port, v.Portgroup)
		}
		return a.Print(r)
	})
}

func (a *app) vifAttachCommand() *cobra.Command {
	var port, portgroup string
	cmd := &cobra.Command{Use: "attach NODE VIF", Args: cobra.ExactArgs(2), ValidArgsFunction: a.CompleteNodes(1)}
	cmd.Flags().StringVar(&port, "port", "", "port to attach to: MAC address, UUID or name (default: Ironic picks)")
	cmd.Flags().StringVar(&portgroup, "portgroup", "", "port group to attach to: name or UUID")
	return a.portActionCommand(cmd, func(ctx context.Context, s *session.Session, args []string) (*provision.PortAction, error) {
		if port != "" && portgroup != "" {
			return nil, cli.Usagef("vif attach: --port and --portgroup cannot be combined")
		}
		node, err := s.Client.Node(ctx, args[0])
		if err != nil {
			return nil, err
		}
		return provision.AttachVIF(ctx, s.Client, node, args[1], port, portgroup)
	})
}

func (a *app) vifDetachCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "detach NODE VIF", Args: cobra.ExactArgs(2), ValidArgsFunction: a.CompleteNodes(1)}
	return a.portActionCommand(cmd, func(ctx context.Context, s *session.Session, args []string) (*provision.PortAction, error) {
		node, err := s.Client.Node(ctx, args[0])
		if err != nil {
			return nil, err
		}
		return provision.DetachVIF(s.Client, node, args[1]), nil
	})
}
