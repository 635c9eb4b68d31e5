package models

import "time"

// Columns lists every column of a list of nodes. STEP says what matters about a node.
func Columns() []Column {
	return columnsWith(func(r *Row, now time.Time) string { return StepLine(r, now, nil) })
}

// FindColumn gives the column with the key; the error lists those there are.
func FindColumn(key string) (Column, error) { return findColumnIn(Columns(), key) }
