package show

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/session"
)

func (a *app) nodeCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "node NODE",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.CompleteNodes(1),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			n, now, err := s.Client.NodeAt(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			r := cli.Result{Data: n.Raw, Names: []string{n.Label()}}
			if a.Output == cli.OutputTable {
				r.Text = nodeText(cmd.Context(), s, n, a.ramdiskText(cmd.Context(), s, n, now))
			}
			return a.Print(r)
		}),
	}
}

// ramdiskText describes the boot progress of the ramdisk that Ironic is waiting for, according to Ironic and the
// journal. It returns "" if Ironic is not waiting.
func (a *app) ramdiskText(ctx context.Context, s *session.Session, n *models.Node, now time.Time) string {
	if n.ProvisionState.Class() != models.ClassWait {
		return ""
	}
	kept := s.Journal(ctx)
	defer kept.Close()
	_, boot, err := session.RelevantLines(ctx, kept, n.UUID, now.Add(-session.LogReach), time.Time{}, time.Until(now))
	if err != nil {
		a.PrintMessage("note: cannot read the log in the journal: %v", err)
	}
	row := models.Row{Node: *n, Log: boot.Progress()}
	return explain.BootOf(&row).Summary(now)
}

// nodeText returns the overview that the node command prints.
func nodeText(ctx context.Context, s *session.Session, n *models.Node, ramdisk string) string {
	rows := []*models.Row{{Node: *n}}
	s.AddReasons(ctx, rows)
	v, _ := s.Client.Version()
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "%-16s %s\n", name, value) }
	for _, d := range models.Overview(rows[0]) {
		line(d.Name, d.Value)
	}
	if ramdisk != "" {
		line("ramdisk", ramdisk)
	}
	writePorts(ctx, s.Client, n, line)
	line("legal verbs", strings.Join(models.Texts(models.LegalVerbs(n.ProvisionState, v)), ", "))
	return b.String()
}

func writePorts(ctx context.Context, c *ironicclient.Client, n *models.Node, line func(name, value string)) {
	ports, err := c.Ports(ctx, n.UUID)
	if err != nil {
		line("ports", fmt.Sprintf("unknown: %v", err))
		return
	}
	for _, p := range ports {
		pxe := ""
		if p.PXEEnabled {
			pxe = " pxe"
		}
		line("port", fmt.Sprintf("%s%s %s %s", p.Address, pxe, p.Name, p.PhysicalNetwork))
	}
}
