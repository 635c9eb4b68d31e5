package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/ironicclient"
	"ironworks/models"
)

func (a *app) nodeCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "node NODE",
		Short:             "Show one node; -o json has Ironic's own fields",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeNodes(1),
		RunE: a.online(func(cmd *cobra.Command, s *session, args []string) error {
			n, err := s.client.Node(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			r := result{data: n.Raw, names: []string{n.Label()}}
			if a.output == outputTable || a.output == "" {
				r.text = nodeText(cmd.Context(), s.client, n)
			}
			return a.print(r)
		}),
	}
}

// nodeText is what an operator wants to know first.
func nodeText(ctx context.Context, c *ironicclient.Client, n *models.Node) string {
	rows := []*models.Row{{Node: *n}}
	addReasons(ctx, c, rows)
	v, _ := c.Version()
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "%-16s %s\n", name, value) }
	for _, d := range models.Overview(rows[0]) {
		line(d.Name, d.Value)
	}
	writePorts(ctx, c, n, line)
	line("possible now", verbNames(models.LegalVerbs(n.ProvisionState, v)))
	return b.String()
}

func writePorts(ctx context.Context, c *ironicclient.Client, n *models.Node, line func(name, value string)) {
	ports, err := c.Ports(ctx, n.UUID)
	if err != nil {
		line("ports", models.Printable(fmt.Sprintf("cannot be read: %v", err)))
		return
	}
	for _, p := range ports {
		pxe := ""
		if p.PXEEnabled {
			pxe = " pxe"
		}
		line("port", models.Printable(fmt.Sprintf("%s%s %s %s", p.Address, pxe, p.Name, p.PhysicalNetwork)))
	}
}

func verbNames(verbs []models.Verb) string {
	names := make([]string, len(verbs))
	for i, v := range verbs {
		names[i] = string(v)
	}
	return strings.Join(names, ", ")
}
