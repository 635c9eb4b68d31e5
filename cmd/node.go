package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/session"
)

func (a *app) nodeCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "node NODE",
		Short:             "Show one node; -o json has Ironic's own fields",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeNodes(1),
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			n, now, err := s.Client.NodeAt(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			r := result{data: n.Raw, names: []string{n.Label()}}
			if a.output == outputTable || a.output == "" {
				r.text = nodeText(cmd.Context(), s.Client, n, a.ramdiskText(cmd.Context(), s, n, now))
			}
			return a.print(r)
		}),
	}
}

// ramdiskText is how far the ramdisk of a node has come that Ironic waits for, by what Ironic
// and the journal know.
func (a *app) ramdiskText(ctx context.Context, s *session.Session, n *models.Node, now time.Time) string {
	if n.ProvisionState.Class() != models.ClassWait {
		return ""
	}
	kept := s.Journal(ctx)
	defer kept.Close()
	_, boot, err := session.TellingLines(ctx, kept, n.UUID, now.Add(-session.LogReach), time.Time{}, time.Until(now))
	if err != nil {
		a.complain("note: the log in the journal: %v", err)
	}
	row := models.Row{Node: *n, Log: boot.Told()}
	return explain.BootOf(&row).Summary(now)
}

// nodeText is what an operator wants to know first.
func nodeText(ctx context.Context, c *ironicclient.Client, n *models.Node, ramdisk string) string {
	rows := []*models.Row{{Node: *n}}
	addReasons(ctx, c, rows)
	v, _ := c.Version()
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "%-16s %s\n", name, value) }
	for _, d := range models.Overview(rows[0]) {
		line(d.Name, d.Value)
	}
	if ramdisk != "" {
		line("ramdisk", models.Printable(ramdisk))
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
