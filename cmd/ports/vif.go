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

func (a *app) vifCommand() *cobra.Command {
	return cli.Group("vif list|attach|detach", a.vifListCommand(), a.vifAttachCommand(), a.vifDetachCommand())
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
		node, err := cli.OneNode(ctx, s, args[0])
		if err != nil {
			return nil, err
		}
		return provision.AttachVIF(ctx, s.Client, node, args[1], port, portgroup)
	})
}

func (a *app) vifDetachCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "detach NODE VIF", Args: cobra.ExactArgs(2), ValidArgsFunction: a.CompleteNodes(1)}
	return a.portActionCommand(cmd, func(ctx context.Context, s *session.Session, args []string) (*provision.PortAction, error) {
		node, err := cli.OneNode(ctx, s, args[0])
		if err != nil {
			return nil, err
		}
		return provision.DetachVIF(s.Client, node, args[1]), nil
	})
}
