package hardware

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models/hints"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) disksCommand() *cobra.Command {
	maxAge := provision.InventoryAge
	cmd := &cobra.Command{
		Use:  "disks NODE",
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.CompleteNodes(1),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			found, err := readDisks(cmd, s, args[0])
			if err != nil {
				return err
			}
			return a.printDisks(found, maxAge)
		}),
	}
	cmd.Flags().DurationVar(&maxAge, "max-age", maxAge, "warn about an inventory that is older than this")
	return cmd
}

func readDisks(cmd *cobra.Command, s *session.Session, name string) (*provision.NodeDisks, error) {
	node, err := s.Client.Node(cmd.Context(), name)
	if err != nil {
		return nil, err
	}
	version, _ := s.Client.Version()
	return provision.ReadDisks(cmd.Context(), s.Client, node, version)
}

func (a *app) printDisks(found *provision.NodeDisks, maxAge time.Duration) error {
	e := found.Search().Explain(found.Inventory.Disks)
	report := found.Report(e, time.Now(), maxAge)
	if err := a.Print(diskTable(report, e)); err != nil {
		return err
	}
	if a.Output == cli.OutputTable {
		for _, line := range diskSummary(&report, &e) {
			a.PrintMessage("%s", line)
		}
	}
	return nil
}

// diskTable returns a table with a row for each disk.
func diskTable(data any, e hints.Explanation) cli.Result {
	r := cli.Result{Empty: "No disks in the inventory.", Data: data, Header: []string{"DISK", "SIZE", "KIND", "BUS", "MODEL", "SERIAL", "WWN", "PICK", "REASON"}}
	if e.Picks != "" {
		r.Names = []string{e.Picks}
	}
	for _, c := range e.Disks {
		pick := ""
		if c.Picked {
			pick = "yes"
		}
		d := c.Disk
		r.Rows = append(r.Rows, []string{d.Name, fmt.Sprintf("%.1f GiB", d.GiB()), d.Kind(), d.Transport, d.Model, d.Serial, d.WWN, pick, c.Why})
	}
	return r
}

// diskSummary returns the lines below the table: the hints, their problems, the verdict and notes.
func diskSummary(r *provision.DiskReport, e *hints.Explanation) []string {
	var lines []string
	switch {
	case !r.Hints.IsSet():
		lines = append(lines, "no root device hints")
	default:
		lines = append(lines, fmt.Sprintf("hints of %s: %s", r.HintsFrom, r.Hints))
	}
	for _, p := range r.Problems {
		lines = append(lines, p.String())
	}
	switch verdict, clear := (hints.Search{Hints: r.Hints}).Verdict(e); {
	case !clear && !r.Hints.IsSet() && r.Error == "":
		lines = append(lines, verdict+"; ironworks hints set selects one")
	case !clear:
		lines = append(lines, verdict)
	}
	return append(lines, r.Notes...)
}
