package fleet

import "ironworks/models"

// Rows gives the nodes that match the filter, sorted by a column.
func (s *Store) Rows(f models.Filter, by models.Column, descending bool) []models.Row {
	// Rows are never changed in place: only the pointers are gathered under the lock.
	s.mu.RLock()
	all := make([]*models.Row, 0, len(s.nodes))
	for _, r := range s.nodes {
		all = append(all, r.row)
	}
	s.mu.RUnlock()
	rows := make([]models.Row, 0, len(all))
	for _, row := range all {
		if f.Match(&row.Node) {
			rows = append(rows, *row)
		}
	}
	models.SortRows(rows, by, descending)
	return rows
}
