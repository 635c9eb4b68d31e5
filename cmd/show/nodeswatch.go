package show

import (
	"time"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/fleet"
	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/session"
)

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

// watchNodes runs the nodes command with --watch.
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

// printRow prints one row in the columns of the list.
func (w *nodesWatch) printRow(row *models.Row, now time.Time) error {
	if w.app.Output == cli.OutputName {
		return w.app.PrintOut("%s\n", row.Node.Label())
	}
	width, _ := cli.Terminal(w.app.Stdout)
	cells := nodeCells(row, w.listing.Columns, now)
	cli.MakePrintable(cells)
	return w.app.PrintOut("%s\n", cli.RowText(cells, w.sizes, width))
}
