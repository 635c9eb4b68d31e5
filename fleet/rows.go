package fleet

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// Rows gives the nodes that match the filter, sorted by a column.
func (s *Store) Rows(f models.Filter, by models.Column, descending bool) []models.Row {
	keyed := s.keyed(f, by)
	slices.SortFunc(keyed, func(a, b keyedRow) int {
		c := a.compare(&b, by)
		if descending {
			c = -c
		}
		return cmp.Or(c, models.CompareNatural(a.row.Node.Name, b.row.Node.Name), strings.Compare(a.row.Node.UUID, b.row.Node.UUID))
	})
	rows := make([]models.Row, len(keyed))
	for i := range keyed {
		rows[i] = *keyed[i].row
	}
	return rows
}

// keyedRow is a row with the text it is sorted by. It is what [models.SortRows] does,
// but the text is made once for each row, and what is moved around is small.
type keyedRow struct {
	row *models.Row
	key string
}

func (a *keyedRow) compare(b *keyedRow, by models.Column) int {
	if by.Compare != nil {
		return by.Compare(a.row, b.row)
	}
	return models.CompareNatural(a.key, b.key)
}

func (s *Store) keyed(f models.Filter, by models.Column) []keyedRow {
	s.mu.RLock()
	keyed := make([]keyedRow, 0, len(s.nodes))
	for _, r := range s.nodes {
		keyed = append(keyed, keyedRow{row: r.row})
	}
	s.mu.RUnlock()
	if !f.IsZero() {
		keyed = slices.DeleteFunc(keyed, func(k keyedRow) bool { return !f.Match(&k.row.Node) })
	}
	if by.Compare != nil {
		return keyed
	}
	for i := range keyed {
		row := keyed[i].row
		switch {
		case by.Key == "name":
			keyed[i].key = row.Node.Label()
		case by.Text != nil:
			keyed[i].key = by.Text(row, time.Time{})
		}
	}
	return keyed
}
