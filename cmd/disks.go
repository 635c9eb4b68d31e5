package cmd

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) disksCommand() *cobra.Command {
	maxAge := provision.InventoryAge
	cmd := &cobra.Command{
		Use: "disks NODE", Short: "Show the disks of a node, which one its hints pick, and why not the others",
		Long: "Show the disks that inspection found in a node, which of them the ramdisk would install to with the node's root\n" +
			"device hints, and for each disk and hint why it does not match. -o name prints the disk that is picked.\n" +
			"Exit code 3 when Ironic has no inventory of the node.",
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeNodes(1),
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			found, err := readDisks(cmd, s, args[0])
			if err != nil {
				return err
			}
			return a.printDisks(found, maxAge)
		}),
	}
	cmd.Flags().DurationVar(&maxAge, "max-age", maxAge, "say so when the inventory is older than this")
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

// diskReport is what JSON and YAML show of the disks of a node.
type diskReport struct {
	Node      models.NodeRef    `json:"node"`
	Inspected *time.Time        `json:"inspected_at"`
	Hints     hints.Hints       `json:"hints"`
	HintsFrom hints.Source      `json:"hints_from"`
	Skip      hints.Hints       `json:"skip_block_devices"`
	Valid     bool              `json:"valid"`
	Because   string            `json:"invalid_because,omitempty"`
	Picks     string            `json:"picks"`
	Error     string            `json:"error,omitempty"`
	Notes     []string          `json:"notes"`
	Problems  []hints.Problem   `json:"problems"`
	Disks     []hints.DiskCheck `json:"disks"`
}

func (a *app) printDisks(found *provision.NodeDisks, maxAge time.Duration) error {
	e := found.Search().Explain(found.Inventory.Disks)
	report := diskReport{
		Node: found.Node.Ref(), Hints: found.Hints.Hints, HintsFrom: found.Hints.Source, Skip: found.Hints.Skip, Valid: true,
		Picks: e.Picks, Error: e.Error, Notes: nonNil(found.Notes(clock{}.Now(), maxAge)), Problems: nonNil(e.Problems), Disks: nonNil(e.Disks),
	}
	if !found.Inspected.IsZero() {
		report.Inspected = &found.Inspected
	}
	if err := report.Hints.Validate(found.By); err != nil {
		report.Valid, report.Because = false, err.Error()
	}
	if err := a.print(diskTable(report, e)); err != nil {
		return err
	}
	if a.output == outputTable || a.output == "" {
		for _, line := range diskSummary(report, e) {
			a.complain("%s", line)
		}
	}
	return nil
}

// diskTable is a line for each disk.
func diskTable(data any, e hints.Explanation) result {
	r := result{data: data, header: []string{"DISK", "SIZE", "KIND", "BUS", "MODEL", "SERIAL", "WWN", "PICK", "WHY"}}
	if e.Picks != "" {
		r.names = []string{e.Picks}
	}
	for _, c := range e.Disks {
		pick := ""
		if c.Picked {
			pick = "yes"
		}
		d := c.Disk
		r.rows = append(r.rows, []string{d.Name, diskSize(d.Size), kindText(d.Rotational), d.Transport, d.Model, d.Serial, d.WWN, pick, c.Why})
	}
	return r
}

// diskSize is in GiB, as hints have it.
func diskSize(size int64) string { return fmt.Sprintf("%.1f GiB", float64(size)/(1<<30)) }

func kindText(rotational *bool) string {
	switch {
	case rotational == nil:
		return ""
	case *rotational:
		return "hdd"
	}
	return "ssd"
}

// diskSummary is what belongs under the table: the hints, what they come to, what is
// wrong with them and what else has to be known.
func diskSummary(r diskReport, e hints.Explanation) []string {
	var lines []string
	switch {
	case !r.Hints.Given():
		lines = append(lines, "no root device hints")
	default:
		lines = append(lines, fmt.Sprintf("hints of %s: %s", r.HintsFrom, r.Hints))
	}
	for _, p := range r.Problems {
		lines = append(lines, problemText(p))
	}
	switch verdict, clear := (hints.Search{Hints: r.Hints}).Verdict(&e); {
	case !clear && !r.Hints.Given() && r.Error == "":
		lines = append(lines, verdict+"; ironworks hints set pins one")
	case !clear:
		lines = append(lines, verdict)
	}
	return append(lines, r.Notes...)
}

func problemText(p hints.Problem) string {
	if p.Hint == "" {
		return fmt.Sprintf("%s: %s", p.Severity, p.Text)
	}
	return fmt.Sprintf("%s: %s: %s", p.Severity, p.Hint, p.Text)
}
