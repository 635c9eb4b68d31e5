package fleet

import (
	"slices"

	"ironworks/models"
)

// Rows gives the nodes that match the filter, sorted by a column. The rows are the
// store's own: they are never changed, only replaced, and nobody may change them.
func (s *Store) Rows(f models.Filter, by models.Column, descending bool) []*models.Row {
	s.mu.RLock()
	rows := make([]*models.Row, 0, len(s.nodes))
	for _, r := range s.nodes {
		rows = append(rows, r.row)
	}
	s.mu.RUnlock()
	rows = slices.DeleteFunc(rows, func(row *models.Row) bool { return !f.Match(&row.Node) })
	models.SortRows(rows, by, descending)
	return rows
}
