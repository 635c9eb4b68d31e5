package explain

import (
	"time"

	"ironworks/models"
)

// Columns lists every column of a list of nodes. STEP says what matters about a node.
func Columns() []models.Column {
	return models.Columns(func(r *models.Row, now time.Time) string { return StepLine(r, now, nil) })
}

// FindColumn gives the column with the key; the error lists those there are.
func FindColumn(key string) (models.Column, error) { return models.FindColumn(Columns(), key) }
