package cmd

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/session"
)

// listFlags are the flags that shape a list of nodes.
type listFlags struct {
	columns []string
	sort    string
	wide    bool
}

func narrowColumns() []string { return []string{"name", "state", "step", "power", "class"} }

func wideColumns() []string {
	return []string{"name", "uuid", "state", "step", "power", "class", "driver", "instance", "owner", "maintenance", "error"}
}

func (a *app) nodesCommand() *cobra.Command {
	var flags listFlags
	cmd := &cobra.Command{
		Use:   "nodes [FILTER…]",
		Short: "List the nodes",
		Long: "List the nodes that match every term of the filter:\n\n" +
			"  text           name, uuid, state, class, driver, instance or owner contains text\n" +
			"  key:value      the field contains value; key:=value is exactly value; key: is empty; key:a,b is a or b\n" +
			"  ~text          the name has these letters in this order\n" +
			"  !term          the term does not match\n\n" +
			"Keys: " + strings.Join(models.FilterKeys(), ", ") + ".\n" +
			"state: also knows failed, busy, stable, wait and hold; state:deploy-failed is one state.",
		Example: "  ironworks nodes state:failed class:gp-2x\n  ironworks nodes '!power:off' --sort state -o json",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.listNodes(cmd, flags, strings.Join(args, " "))
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&flags.columns, "columns", nil, "columns to show, by key")
	f.StringVar(&flags.sort, "sort", "", "column to sort by; -COLUMN turns the order around")
	f.BoolVarP(&flags.wide, "wide", "w", false, "more columns")
	return cmd
}

// listing is what a list of nodes was asked to be.
type listing struct {
	filter     models.Filter
	columns    []models.Column
	by         models.Column
	descending bool
}

func newListing(flags listFlags, filter string) (listing, error) {
	var l listing
	var err error
	if l.filter, err = models.ParseFilter(filter); err != nil {
		return l, err
	}
	keys := flags.columns
	switch {
	case len(keys) == 0 && flags.wide:
		keys = wideColumns()
	case len(keys) == 0:
		keys = narrowColumns()
	}
	for _, k := range keys {
		c, err := explain.FindColumn(k)
		if err != nil {
			return l, usagef("%w", err)
		}
		l.columns = append(l.columns, c)
	}
	key, descending := strings.CutPrefix(flags.sort, "-")
	if key == "" {
		key = "name"
	}
	if l.by, err = explain.FindColumn(key); err != nil {
		return l, usagef("%w", err)
	}
	l.descending = descending
	return l, nil
}

// fields are the API fields that the listing needs, each once.
func (l listing) fields() []string {
	fields := append(models.ListFields(), l.filter.Fields()...)
	for _, c := range append(slices.Clone(l.columns), l.by) {
		if c.Field != "" {
			fields = append(fields, c.Field)
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

func (a *app) listNodes(cmd *cobra.Command, flags listFlags, filter string) error {
	s, err := a.connect(cmd)
	if err != nil {
		return err
	}
	defer s.Close()
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
	rows, now, err := a.fetchRows(cmd.Context(), s.Client, l)
	if err != nil {
		return err
	}
	a.addChanges(s, rows, now)
	models.SortRows(rows, l.by.At(now), l.descending)
	return a.print(nodesResult(rows, l, now))
}

func (a *app) fetchRows(ctx context.Context, c *ironicclient.Client, l listing) ([]*models.Row, time.Time, error) {
	raw := a.output == outputJSON || a.output == outputYAML
	progress := a.newProgress()
	defer progress.stop()
	var rows []*models.Row
	now, seen := time.Now(), 0
	err := c.EachPage(ctx, ironicclient.NodeQuery{Fields: l.fields(), KeepRaw: raw}, func(p *ironicclient.NodePage) error {
		for i := range p.Nodes {
			if l.filter.Match(&p.Nodes[i]) {
				rows = append(rows, &models.Row{Node: p.Nodes[i]})
			}
		}
		if !p.Date.IsZero() {
			now = p.Date
		}
		seen += len(p.Nodes)
		progress.say("%d nodes read", seen)
		return nil
	})
	if err != nil {
		return nil, now, err
	}
	addReasons(ctx, c, rows)
	return rows, now, nil
}

// addChanges tells rows that failed what was changed of them from here.
func (a *app) addChanges(s *session.Session, rows []*models.Row, now time.Time) {
	if !slices.ContainsFunc(rows, func(r *models.Row) bool { return r.Node.Troubled() }) {
		return
	}
	changes, err := audit.ReadChanges(s.Files.Audit, s.Context.Name, nil, time.Now)
	if err != nil {
		a.complain("note: what was changed since is not known: %v", err)
	}
	for _, r := range rows {
		r.Changes = changes.Of(r.Node.UUID, now)
	}
}

// maxReasons bounds the extra requests of a list: one for each failed node whose
// last_error is gone.
const maxReasons = 20

// addReasons looks into the history of failed nodes that do not say why any more.
func addReasons(ctx context.Context, c *ironicclient.Client, rows []*models.Row) {
	v, _ := c.Version()
	left := maxReasons
	for i := range rows {
		n := &rows[i].Node
		if left == 0 || !v.Has(models.FeatureHistory) {
			return
		}
		if !n.ProvisionState.Failed() || n.LastError != "" {
			continue
		}
		left--
		if history, err := c.History(ctx, n.UUID); err == nil {
			rows[i].Reason = models.FailureReason(n, models.Evidence{}, history)
		}
	}
}

func nodesResult(rows []*models.Row, l listing, now time.Time) result {
	r := result{}
	raw := make([]json.RawMessage, 0, len(rows))
	for _, c := range l.columns {
		r.header = append(r.header, c.Title)
	}
	for i := range rows {
		n := &rows[i].Node
		r.names = append(r.names, n.Label())
		if n.Raw != nil {
			raw = append(raw, n.Raw)
			continue
		}
		cells := make([]string, len(l.columns))
		for j, c := range l.columns {
			if cells[j] = c.Text(rows[i], now); c.Key == "name" {
				cells[j] = n.Label()
			}
		}
		r.rows = append(r.rows, cells)
	}
	r.data = raw
	return r
}
