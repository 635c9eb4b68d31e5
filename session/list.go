package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ironworks/audit"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/provision"
)

// Listing describes a list of nodes: which nodes and columns it contains, and their order.
type Listing struct {
	Filter     filter.Filter
	Columns    []models.Column
	By         models.Column
	Descending bool
	// Raw makes the nodes keep the JSON from which they were decoded.
	Raw bool
}

// ExtraFields returns the API fields that the listing needs beyond [models.ListFields], without duplicates.
func (l *Listing) ExtraFields() []string {
	fields := l.Filter.Fields()
	for _, c := range append(slices.Clone(l.Columns), l.By) {
		if c.Field != "" {
			fields = append(fields, c.Field)
		}
	}
	known := models.ListFields()
	fields = slices.DeleteFunc(fields, func(f string) bool { return slices.Contains(known, f) })
	slices.Sort(fields)
	return slices.Compact(fields)
}

// Rows returns the nodes that l selects, sorted as l requires, and the server's time. The rows of failed nodes
// contain the reason for the failure. If any node is in trouble, the rows contain the recent changes that were made
// from this console. progress is called with the number of nodes read so far.
func (s *Session) Rows(ctx context.Context, l *Listing, progress func(seen int)) (rows []*models.Row, now time.Time, err error) {
	seen := 0
	now = time.Now()
	extra := l.ExtraFields()
	query := ironicclient.NodeQuery{Fields: append(models.ListFields(), extra...), Whole: models.WholeFields(extra), KeepRaw: l.Raw}
	err = s.Client.EachPage(ctx, query, func(p *ironicclient.NodePage) error {
		if !p.Date.IsZero() {
			now = p.Date
		}
		filter := l.Filter.At(now)
		for i := range p.Nodes {
			row := &models.Row{Node: p.Nodes[i]}
			if filter.Match(row) != models.No {
				rows = append(rows, row)
			}
		}
		seen += len(p.Nodes)
		progress(seen)
		return nil
	})
	if err != nil {
		return nil, now, err
	}
	if rows, err = s.answer(ctx, l.Filter.At(now), rows); err != nil {
		return nil, now, err
	}
	s.AddReasons(ctx, rows)
	if slices.ContainsFunc(rows, func(r *models.Row) bool { return r.Node.Troubled() }) {
		changes := s.KnownChanges()
		for _, r := range rows {
			r.Changes = changes.ForNode(r.Node.UUID, now)
		}
	}
	models.SortRows(rows, l.By.At(now), l.Descending)
	return rows, now, nil
}

// Matching returns the given nodes that match f. The nodes must have been read in full.
func (s *Session) Matching(ctx context.Context, f filter.Filter, nodes []models.Node) ([]*models.Row, error) {
	rows := make([]*models.Row, len(nodes))
	for i := range nodes {
		rows[i] = &models.Row{Node: nodes[i]}
	}
	return s.answer(ctx, f.At(time.Now()), rows)
}

// answer reads the additional data that f needs, and returns the rows that match.
func (s *Session) answer(ctx context.Context, f filter.Filter, rows []*models.Row) ([]*models.Row, error) {
	byUUID := map[string]*models.Row{}
	for _, r := range rows {
		byUUID[r.Node.UUID] = r
	}
	unknown := filter.Unanswered(f, rows)
	if err := s.ReadFor(ctx, f, unknown, func(uuid string, hardware *models.Hardware) { byUUID[uuid].Hardware = hardware }); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(rows, func(r *models.Row) bool { return f.Match(r) != models.Yes }), nil
}

// ReadFor reads the inventories of the nodes in unknown, which are needed to evaluate f for these nodes. It passes
// each inventory to keep, which is called from several goroutines. It stops at the first error. It fails if this
// Ironic does not return the data that f needs.
func (s *Session) ReadFor(ctx context.Context, f filter.Filter, unknown []*models.Row, keep func(uuid string, hardware *models.Hardware)) error {
	if lacking := s.Client.MissingFields(f.Fields()); len(lacking) > 0 {
		v, _ := s.Client.Version()
		return fmt.Errorf("filter %q: Ironic's API %s does not return %s", f.String(), v, strings.Join(lacking, ", "))
	}
	if len(unknown) == 0 || !f.NeedsHardware() {
		return nil
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	uuids := make([]string, len(unknown))
	for i, r := range unknown {
		uuids[i] = r.Node.UUID
	}
	provision.ReadHardware(ctx, s.Client, uuids, func(uuid string, hardware *models.Hardware, err error) {
		if err != nil {
			stop(fmt.Errorf("filter %q: %w", f.String(), err))
			return
		}
		keep(uuid, hardware)
	})
	return context.Cause(ctx)
}

// KnownChanges returns the changes to nodes that were made from this console. If they cannot be read, it reports the
// error.
func (s *Session) KnownChanges() *audit.Changes {
	changes, err := audit.ReadChanges(s.Files.Audit, s.Context.Name, nil)
	if err != nil {
		s.report("note: recent changes are unknown: " + err.Error())
	}
	return changes
}

// maxReasons limits the additional requests for a list: one for each failed node without last_error.
const maxReasons = 20

// AddReasons reads the history of failed nodes without last_error, and adds the reasons for their failures to rows.
func (s *Session) AddReasons(ctx context.Context, rows []*models.Row) {
	provision.AddReasons(ctx, s.Client, rows, maxReasons)
}
