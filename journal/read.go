package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"ironworks/models"
)

const selectWorks = "SELECT id, node, name, class, kind, began, ended, whole, outcome, reason, evidence FROM works"

// OfNode gives the last pieces of work on a node, the newest first.
func (j *Journal) OfNode(ctx context.Context, uuid string, most int) ([]models.Work, error) {
	return j.works(ctx, selectWorks+" WHERE node = ? ORDER BY began DESC, id DESC LIMIT ?", uuid, most)
}

// Latest gives the last pieces of each kind of work that ended, the newest first: what
// can be learnt from.
func (j *Journal) Latest(ctx context.Context, most int) ([]models.Work, error) {
	return j.works(ctx, `SELECT id, node, name, class, kind, began, ended, whole, outcome, reason, evidence FROM (
	SELECT *, row_number() OVER (PARTITION BY kind ORDER BY began DESC) AS n FROM works WHERE ended IS NOT NULL)
WHERE n <= ? ORDER BY began DESC`, most)
}

func (j *Journal) works(ctx context.Context, query string, args ...any) ([]models.Work, error) {
	db, err := j.reading(ctx)
	if db == nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, j.unread(err)
	}
	works, ids, err := scanWorks(rows)
	if err != nil {
		return nil, j.unread(err)
	}
	if err := addPhases(ctx, db, works, ids); err != nil {
		return nil, j.unread(err)
	}
	return works, nil
}

// reading gives the file with all in it that was noted; nil where there is none.
func (j *Journal) reading(ctx context.Context) (*sql.DB, error) {
	if err := j.written(ctx); err != nil {
		return nil, err
	}
	return j.forReading(ctx)
}

func (j *Journal) unread(err error) error {
	return fmt.Errorf("read journal %s: %w", j.opts.Path, err)
}

// scanWorks takes works without their phases, with their ids.
func scanWorks(rows *sql.Rows) (works []models.Work, ids []int64, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var w models.Work
		var id, began int64
		var ended sql.NullInt64
		var evidence sql.NullString
		if err := rows.Scan(&id, &w.Node.UUID, &w.Node.Name, &w.ResourceClass, &w.Kind, &began, &ended, &w.Whole, &w.Outcome, &w.Reason, &evidence); err != nil {
			return nil, nil, err
		}
		if evidence.Valid {
			if err := json.Unmarshal([]byte(evidence.String), &w.Evidence); err != nil {
				return nil, nil, fmt.Errorf("evidence of work %d: %w", id, err)
			}
		}
		w.Begin, w.End = at(began), atOrZero(ended)
		works, ids = append(works, w), append(ids, id)
	}
	return works, ids, rows.Err()
}

func at(micro int64) time.Time { return time.UnixMicro(micro).UTC() }

func atOrZero(micro sql.NullInt64) time.Time {
	if !micro.Valid {
		return time.Time{}
	}
	return at(micro.Int64)
}

// asker is a transaction or a database.
type asker interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// atOnce is of how many works the phases are asked for together.
const atOnce = 500

// addPhases reads the phases of works.
func addPhases(ctx context.Context, db asker, works []models.Work, ids []int64) error {
	for from := 0; from < len(ids); from += atOnce {
		to := min(from+atOnce, len(ids))
		if err := addSomePhases(ctx, db, works[from:to], ids[from:to]); err != nil {
			return err
		}
	}
	return nil
}

func addSomePhases(ctx context.Context, db asker, works []models.Work, ids []int64) (err error) {
	place, args := map[int64]int{}, make([]any, len(ids))
	for i, id := range ids {
		place[id], args[i] = i, id
	}
	rows, err := db.QueryContext(ctx, "SELECT work, kind, step, began, ended, outcome FROM phases WHERE work IN (?"+ //nolint:gosec // marks alone
		strings.Repeat(", ?", len(ids)-1)+") ORDER BY work, place", args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var p models.Phase
		var work, began int64
		var ended sql.NullInt64
		if err := rows.Scan(&work, &p.Kind, &p.Step, &began, &ended, &p.Outcome); err != nil {
			return err
		}
		p.Begin, p.End = at(began), atOrZero(ended)
		w := &works[place[work]]
		w.Phases = append(w.Phases, p)
	}
	return rows.Err()
}

// Transitions gives what happened to a node since a time, the oldest first.
func (j *Journal) Transitions(ctx context.Context, uuid string, since time.Time) (events []models.Event, err error) {
	db, err := j.reading(ctx)
	if db == nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT at, node, name, kind, was, became, reason, inferred FROM transitions
WHERE node = ? AND at >= ? ORDER BY at, id`, uuid, since.UnixMicro())
	if err != nil {
		return nil, j.unread(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e models.Event
		var when int64
		if err := rows.Scan(&when, &e.Node.UUID, &e.Node.Name, &e.Kind, &e.From, &e.To, &e.Reason, &e.Inferred); err != nil {
			return nil, j.unread(err)
		}
		e.Time = at(when)
		events = append(events, e)
	}
	return events, rows.Err()
}
