package cmd

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/models"
	"ironworks/session"
)

// listFlags select the columns and the order of a node list.
type listFlags struct {
	columns []string
	sort    string
	wide    bool
}

func (a *app) nodesCommand() *cobra.Command {
	var flags listFlags
	cmd := &cobra.Command{
		Use: "nodes [FILTER…]",
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			return a.listNodes(cmd, s, flags, strings.Join(args, " "))
		}),
	}
	f := cmd.Flags()
	f.StringSliceVar(&flags.columns, "columns", nil, "keys of the columns to show, comma-separated")
	f.StringVar(&flags.sort, "sort", "", "key of the sort column; -COLUMN reverses the order")
	f.BoolVarP(&flags.wide, "wide", "w", false, "all common columns")
	return cmd
}

func newListing(flags listFlags, filter string) (l session.Listing, err error) {
	if l.Filter, err = parseNodeFilter(filter); err != nil {
		return l, err
	}
	keys := flags.columns
	switch {
	case len(keys) == 0 && flags.wide:
		keys = []string{"name", "uuid", "state", "step", "power", "class", "driver", "instance", "owner", "maintenance", "error"}
	case len(keys) == 0:
		keys = []string{"name", "state", "step", "power", "class"}
	}
	for _, k := range keys {
		c, err := findColumn(k)
		if err != nil {
			return l, err
		}
		l.Columns = append(l.Columns, c)
	}
	key, descending := strings.CutPrefix(flags.sort, "-")
	if key == "" {
		key = "name"
	}
	if l.By, err = findColumn(key); err != nil {
		return l, err
	}
	l.Descending = descending
	return l, nil
}

func (a *app) listNodes(cmd *cobra.Command, s *session.Session, flags listFlags, filter string) error {
	d := s.Context.Defaults
	if len(flags.columns) == 0 && !flags.wide {
		flags.columns = d.Columns
	}
	if flags.sort == "" {
		flags.sort = d.Sort
	}
	if filter == "" {
		filter = d.Filter
	}
	l, err := newListing(flags, filter)
	if err != nil {
		return err
	}
	l.Raw = a.output == outputJSON || a.output == outputYAML
	progress := a.newProgress()
	rows, now, err := s.Rows(cmd.Context(), &l, func(seen int) { progress.say("reading nodes: %d", seen) })
	progress.stop()
	if err != nil {
		return err
	}
	r := nodesResult(rows, l.Columns, now)
	if r.empty = "No nodes."; filter != "" {
		r.empty = "No nodes match " + filter + stateHint(filter) + "."
	}
	return a.print(r)
}

func nodesResult(rows []*models.Row, columns []models.Column, now time.Time) result {
	r := result{}
	raw := make([]json.RawMessage, 0, len(rows))
	for _, c := range columns {
		r.header = append(r.header, c.Title)
	}
	for i := range rows {
		n := &rows[i].Node
		r.names = append(r.names, n.Label())
		if n.Raw != nil {
			raw = append(raw, n.Raw)
			continue
		}
		cells := make([]string, len(columns))
		for j, c := range columns {
			if cells[j] = c.Text(rows[i], now); c.Key == "name" {
				cells[j] = n.Label()
			}
		}
		r.rows = append(r.rows, cells)
	}
	r.data = raw
	return r
}
