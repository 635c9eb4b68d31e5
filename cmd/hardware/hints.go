package hardware

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/provision"
	"ironworks/session"
)

type matchFlags struct {
	hints, inventory, skip, batch, release string
}

func (a *app) hintsMatchCommand() *cobra.Command {
	var f matchFlags
	cmd := &cobra.Command{
		Use: "match --hints JSON --inventory FILE | --batch FILE", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			by, err := hints.ParseGeneration(f.release)
			if err != nil {
				return cli.Usagef("--release: %w", err)
			}
			given := cmd.Flags().Changed
			switch {
			case given("batch") && (given("hints") || given("inventory") || given("skip")):
				return cli.Usagef("hints match: --batch cannot be combined with --hints, --inventory or --skip: each line of the batch file contains them")
			case given("batch"):
				return a.matchBatch(f.batch, by)
			case !given("hints") || !given("inventory"):
				return cli.Usagef("hints match: give --hints and --inventory, or --batch")
			}
			return a.matchOne(f, by)
		},
	}
	cmd.Flags().StringVar(&f.hints, "hints", "", "root device hints: JSON, @FILE or -")
	cmd.Flags().StringVar(&f.inventory, "inventory", "", "inventory: FILE, @FILE or -")
	cmd.Flags().StringVar(&f.skip, "skip", "", "skip_block_devices of the node: JSON, @FILE or -")
	cmd.Flags().StringVar(&f.batch, "batch", "", "file with one case per line, or -")
	cmd.Flags().StringVar(&f.release, "release", hints.GenerationNewest.String(), "Ironic release whose rules apply: newest (39.0) or old (21.4)")
	return cmd
}

type matchReport struct {
	hints.Verdict
	Disagree string            `json:"disagree,omitempty"`
	Problems []hints.Problem   `json:"problems"`
	Disks    []hints.DiskCheck `json:"disks"`
}

func match(c *hints.Case, by hints.Generation) (matchReport, hints.Explanation) {
	e := c.Search(by).Explain(c.Disks)
	return matchReport{
		Verdict: c.Judge(by), Disagree: c.Hints.Disagree(by), Problems: cli.NonNil(e.Problems), Disks: cli.NonNil(e.Disks),
	}, e
}

func (a *app) matchOne(f matchFlags, by hints.Generation) error {
	var c hints.Case
	var err error
	if c.Hints, err = a.ReadHints(f.hints); err != nil {
		return cli.Usagef("--hints: %w", err)
	}
	if c.Skip, err = a.ReadHints(f.skip); err != nil {
		return cli.Usagef("--skip: %w", err)
	}
	raw, err := a.ReadArgument(f.inventory)
	if err == nil {
		c.Disks, err = hints.DecodeDisks(raw)
	}
	if i := slices.IndexFunc(c.Disks, func(d hints.Disk) bool { return d.Name == "" || d.Size <= 0 }); err == nil && i >= 0 {
		err = fmt.Errorf("disk %d has no name or no size; give the inventory of a node, its list of disks, or the output of ironworks disks NODE -o json", i+1)
	}
	if err != nil {
		return cli.Usagef("--inventory: %w", err)
	}
	report, e := match(&c, by)
	if err := a.Print(diskTable(report, e)); err != nil {
		return err
	}
	if a.Output == cli.OutputTable {
		if report.Because != nil {
			a.PrintMessage("Ironic: invalid: %s", *report.Because)
		}
		if report.Agent.Error != nil {
			a.PrintMessage("ramdisk: %s", *report.Agent.Error)
		}
		for _, p := range e.Problems {
			a.PrintMessage("%s", p)
		}
	}
	return nil
}

// matchBatch reads cases, one per line, and writes the verdict on each.
func (a *app) matchBatch(file string, by hints.Generation) error {
	in := a.Stdin
	if file != "-" {
		f, err := os.Open(file) //nolint:gosec // the user's own file
		if err != nil {
			return cli.Usagef("--batch: %w", err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	err := hints.JudgeLines(in, a.Stdout, by)
	if cli.Is[*hints.CaseError](err) {
		return cli.Usagef("--batch: %w", err)
	}
	return err
}

func (a *app) hintsSetCommand() *cobra.Command {
	var flags cli.ActFlags
	var disk string
	to := string(hints.OfProperties)
	cmd := &cobra.Command{
		Use:  "set NODE --disk NAME",
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.CompleteNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to != string(hints.OfProperties) && to != string(hints.OfInstance) {
				return cli.Usagef("--to %s: must be properties or instance_info%s", to, cli.DidYouMean(to, []string{"properties", "instance_info"}))
			}
			if disk == "" {
				return cli.Usagef("hints set: --disk NAME is required; ironworks disks shows the names")
			}
			pin, err := a.pinDisk(cmd, args[0], disk, hints.Source(to))
			if err != nil {
				return err
			}
			return a.Act(cmd, pin, args, flags)
		},
	}
	flags.Register(cmd, false)
	cmd.Flags().StringVar(&disk, "disk", "", "name of the disk, as in ironworks disks")
	cmd.Flags().StringVar(&to, "to", to, "field to write to: properties or instance_info")
	return cmd
}

// pinDisk prints the hint that selects a disk of a node, and returns the action that writes the hint.
func (a *app) pinDisk(cmd *cobra.Command, node, disk string, to hints.Source) (provision.Action, error) {
	s, err := a.Connect(cmd)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	n, err := s.Client.Node(cmd.Context(), node)
	if err != nil {
		return nil, err
	}
	found, err := readDisks(cmd, s, n)
	if err != nil {
		return nil, err
	}
	_, hints, err := found.PinDisk(disk, to)
	if err != nil {
		return nil, err
	}
	a.PrintMessage("%s.root_device = %s", to, hints)
	for _, note := range found.Notes(time.Now(), provision.InventoryAge) {
		a.PrintMessage("note: %s", note)
	}
	return provision.Pin(found, disk, to), nil
}

func (a *app) hintsCommand() *cobra.Command {
	cmd := cli.Group("hints match|set", a.hintsMatchCommand(), a.hintsSetCommand())
	cmd.ValidArgs = []string{"match", "set"}
	return cmd
}

func (a *app) disksCommand() *cobra.Command {
	maxAge := provision.InventoryAge
	cmd := a.NodeCommand("disks NODE", func(cmd *cobra.Command, s *session.Session, n *models.Node) error {
		found, err := readDisks(cmd, s, n)
		if err != nil {
			return err
		}
		return a.printDisks(found, maxAge)
	})
	cmd.Flags().DurationVar(&maxAge, "max-age", maxAge, "warn about an inventory that is older than this")
	return cmd
}

func readDisks(cmd *cobra.Command, s *session.Session, node *models.Node) (*provision.NodeDisks, error) {
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
