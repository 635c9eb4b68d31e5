package show

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/fleet"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/filter"
	"ironworks/session"
)

func (a *app) nodesCommand() *cobra.Command {
	var flags cli.ListFlags
	cmd := &cobra.Command{
		Use: "nodes [FILTER…]", ValidArgsFunction: a.CompleteFilter,
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			if flags.Watch {
				return a.watchNodes(cmd, s, flags, strings.Join(args, " "))
			}
			return a.listNodes(cmd, s, flags, strings.Join(args, " "))
		}),
	}
	f := cmd.Flags()
	f.StringSliceVar(&flags.Columns, "columns", nil, "keys of the columns to show, comma-separated")
	f.StringVar(&flags.Sort, "sort", "", "key of the sort column; -COLUMN reverses the order")
	f.BoolVarP(&flags.Watch, "watch", "w", false, "after the list, print the row of each node that changes, until interrupted")
	return cmd
}

func (a *app) listNodes(cmd *cobra.Command, s *session.Session, flags cli.ListFlags, filter string) error {
	l, filter, err := a.Listing(s, flags, filter)
	if err != nil {
		return err
	}
	l.Raw = a.Output == cli.OutputJSON || a.Output == cli.OutputYAML
	progress := a.NewProgress()
	rows, now, err := s.Rows(cmd.Context(), &l, func(seen int) { progress.SetText("reading nodes: %d", seen) })
	progress.Stop()
	if err != nil {
		return err
	}
	r := nodesResult(rows, l.Columns, now)
	r.Empty = cli.NoNodes(filter)
	return a.Print(r)
}

func nodesResult(rows []*models.Row, columns []models.Column, now time.Time) cli.Result {
	r := cli.Result{}
	raw := make([]json.RawMessage, 0, len(rows))
	for _, c := range columns {
		r.Header = append(r.Header, c.Title)
	}
	for _, row := range rows {
		r.Names = append(r.Names, row.Node.Label())
		if row.Node.Raw != nil {
			raw = append(raw, withSummary(row, now))
			continue
		}
		r.Rows = append(r.Rows, nodeCells(row, columns, now))
	}
	r.Data = raw
	return r
}

func nodeCells(row *models.Row, columns []models.Column, now time.Time) []string {
	cells := make([]string, len(columns))
	for i, c := range columns {
		if cells[i] = c.Text(row, now); c.Key == "name" {
			cells[i] = row.Node.Label()
		}
	}
	return cells
}

// summary contains the fields that ironworks adds to the JSON of a node.
type summary struct {
	// Step is the text of the STEP column.
	Step string `json:"step"`
	// Since is the time when the node entered its state, or a later time: Ironic updates provision_updated_at with each
	// heartbeat, too. InState is the time since then in seconds.
	Since   *time.Time `json:"since,omitempty"`
	InState *int64     `json:"in_state,omitempty"`
}

// withSummary adds the key "ironworks" to the JSON of a node. The order of the other fields stays the same.
func withSummary(row *models.Row, now time.Time) json.RawMessage {
	s := summary{Step: explain.StepLine(row, now, nil)}
	if since, _ := row.InState(); !since.IsZero() {
		seconds := int64(max(now.Sub(since), 0).Seconds())
		s.Since, s.InState = &since, &seconds
	}
	added, err := json.Marshal(s)
	object := bytes.TrimSpace(row.Node.Raw)
	if err != nil || !bytes.HasSuffix(object, []byte("}")) || bytes.Equal(object, []byte("{}")) {
		return row.Node.Raw // not an object with fields
	}
	return slices.Concat(object[:len(object)-1], []byte(`,"ironworks":`), added, []byte("}"))
}

// nodesWatch prints the list of nodes once it is complete, and afterwards the row of each node that changes.
type nodesWatch struct {
	*watcher
	listing session.Listing
	// read reads the node data that the filter needs.
	read   func(f filter.Filter, unknown []*models.Row, keep func(uuid string, hardware *models.Hardware)) error
	filter string
	// sizes contains the widths of the columns. It is nil until the list is printed.
	sizes []int
	// shown contains the UUIDs of the nodes that matched the filter when last printed. A node that no longer matches
	// is printed one last time.
	shown map[string]bool
}

func (a *app) watchNodes(cmd *cobra.Command, s *session.Session, flags cli.ListFlags, line string) error {
	if a.Output != cli.OutputTable && a.Output != cli.OutputName {
		return cli.Usagef("--watch supports -o table, wide and name; use ironworks watch -o %s for events", a.Output)
	}
	listing, line, err := a.Listing(s, flags, line)
	if err != nil {
		return err
	}
	w := &nodesWatch{watcher: &watcher{app: a, fields: listing.ExtraFields()}, listing: listing, filter: line, shown: map[string]bool{}}
	w.show = w.print
	w.read = func(f filter.Filter, unknown []*models.Row, keep func(string, *models.Hardware)) error {
		return s.ReadFor(cmd.Context(), f, unknown, keep)
	}
	return w.watch(cmd, s, watchFlags{}, nil)
}

func (w *nodesWatch) print(u fleet.Update) error {
	if !u.Status.Complete {
		return nil
	}
	now := time.Now().Add(u.Status.Skew)
	if w.sizes == nil {
		return w.printList(now)
	}
	printed := map[string]bool{}
	for i := range u.Events {
		uuid := u.Events[i].Node.UUID
		row, _, there := w.store.Get(uuid)
		if !there || printed[uuid] {
			continue
		}
		printed[uuid] = true
		matches, err := w.matches(&row, now)
		if err != nil {
			return err
		}
		if matches || w.shown[uuid] {
			if err := w.printRow(&row, now); err != nil {
				return err
			}
		}
		w.shown[uuid] = matches
	}
	return nil
}

// matches reports whether a node matches the filter. If necessary, it reads further data about the node.
func (w *nodesWatch) matches(row *models.Row, now time.Time) (bool, error) {
	f := w.listing.Filter.At(now)
	if found := f.Match(row); found != models.Unknown {
		return found == models.Yes, nil
	}
	err := w.read(f, []*models.Row{row}, func(uuid string, hardware *models.Hardware) {
		row.Hardware = hardware
		w.store.SetHardware(uuid, hardware)
	})
	return f.Match(row) == models.Yes, err
}

func (w *nodesWatch) printList(now time.Time) error {
	rows, unknown := w.store.Select(w.listing.Filter.At(now), w.listing.By.At(now), w.listing.Descending)
	if err := w.read(w.listing.Filter, unknown, w.store.SetHardware); err != nil {
		return err
	}
	if len(unknown) > 0 {
		rows = w.store.Rows(w.listing.Filter.At(now), w.listing.By.At(now), w.listing.Descending)
	}
	for _, r := range rows {
		w.shown[r.Node.UUID] = true
	}
	result := nodesResult(rows, w.listing.Columns, now)
	result.Empty = cli.NoNodes(w.filter)
	err := w.app.Print(result) // print makes the cells printable
	w.sizes = cli.ColumnSizes(result.Header, result.Rows)
	return err
}

func (w *nodesWatch) printRow(row *models.Row, now time.Time) error {
	if w.app.Output == cli.OutputName {
		return w.app.PrintOut("%s\n", row.Node.Label())
	}
	width, _ := cli.Terminal(w.app.Stdout)
	cells := nodeCells(row, w.listing.Columns, now)
	cli.MakePrintable(cells)
	return w.app.PrintOut("%s\n", cli.RowText(cells, w.sizes, width))
}

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

// ramdiskText describes the boot progress of the ramdisk that Ironic waits for, or returns "" if it waits for none.
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
