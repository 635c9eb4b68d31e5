package session

import (
	"context"
	"slices"
	"time"

	"ironworks/audit"
	"ironworks/ironicclient"
	"ironworks/models"
)

// Listing describes a list of nodes.
type Listing struct {
	Filter     models.Filter
	Columns    []models.Column
	By         models.Column
	Descending bool
	// Raw keeps the nodes' JSON.
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

// Rows returns the nodes of a listing in its order, and the server's time. Failed nodes have the
// reason, and recent changes from this console. Progress is called with the number of nodes read
// so far.
func (s *Session) Rows(ctx context.Context, l *Listing, progress func(seen int)) (rows []*models.Row, now time.Time, err error) {
	seen := 0
	now = time.Now()
	err = s.Client.EachPage(ctx, ironicclient.NodeQuery{Fields: append(models.ListFields(), l.ExtraFields()...), KeepRaw: l.Raw}, func(p *ironicclient.NodePage) error {
		for i := range p.Nodes {
			if l.Filter.Match(&p.Nodes[i]) {
				rows = append(rows, &models.Row{Node: p.Nodes[i]})
			}
		}
		if !p.Date.IsZero() {
			now = p.Date
		}
		seen += len(p.Nodes)
		progress(seen)
		return nil
	})
	if err != nil {
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

// KnownChanges returns the changes of nodes made from this console; a read error is reported.
func (s *Session) KnownChanges() *audit.Changes {
	changes, err := audit.ReadChanges(s.Files.Audit, s.Context.Name, nil)
	if err != nil {
		s.report("note: recent changes are unknown: " + err.Error())
	}
	return changes
}

// maxReasons bounds the extra requests of a list: one for each failed node whose last_error is
// gone.
const maxReasons = 20

// AddReasons reads the history of failed nodes without last_error.
func (s *Session) AddReasons(ctx context.Context, rows []*models.Row) {
	v, _ := s.Client.Version()
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
		if history, err := s.Client.History(ctx, n.UUID); err == nil {
			rows[i].Reason = models.FailureReason(n, models.Evidence{}, history)
		}
	}
}
