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

// OfNode returns the newest operations of a node, newest first. most is the maximum number of operations.
func (j *Journal) OfNode(ctx context.Context, uuid string, most int) ([]models.Work, error) {
	return j.works(ctx, selectWorks+" WHERE node = ? ORDER BY began DESC, id DESC LIMIT ?", uuid, most)
}

// Latest returns the newest finished operations, newest first. most is the maximum number for each kind of operation.
// Estimates are based on the result.
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
	works, _, err := selectOperations(ctx, db, query, args...)
	return works, j.readError(err)
}

// reading returns the database after all waiting records have been written. It returns nil if there is no file.
func (j *Journal) reading(ctx context.Context) (*sql.DB, error) {
	if err := j.flushed(ctx); err != nil {
		return nil, err
	}
	return j.forReading(ctx)
}

// query calls scan for each row that a query of the journal returns. There are no rows if there is no file.
func (j *Journal) query(ctx context.Context, scan func(*sql.Rows) error, query string, args ...any) error {
	db, err := j.reading(ctx)
	if db == nil {
		return err
	}
	return j.readError(eachRow(ctx, db, scan, query, args...))
}

// readError adds the path of the journal to an error. A nil error stays nil.
func (j *Journal) readError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("read journal %s: %w", j.opts.Path, err)
}

// querier is implemented by databases and by batches that are being written, so that functions can query either.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// eachRow calls scan for each row that a query returns.
func eachRow(ctx context.Context, db querier, scan func(*sql.Rows) error, query string, args ...any) (err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// selectOperations returns the operations that a query returns, and their IDs.
func selectOperations(
	ctx context.Context, db querier, query string, args ...any,
) (works []models.Work, ids []int64, err error) {
	err = eachRow(ctx, db, func(rows *sql.Rows) error {
		var w models.Work
		var id, began int64
		var ended sql.NullInt64
		var evidence sql.NullString
		if err := rows.Scan(&id, &w.Node.UUID, &w.Node.Name, &w.ResourceClass, &w.Kind, &began, &ended, &w.Whole, &w.Outcome, &w.Reason, &evidence); err != nil {
			return err
		}
		if evidence.Valid {
			if err := json.Unmarshal([]byte(evidence.String), &w.Evidence); err != nil {
				return fmt.Errorf("evidence of work %d: %w", id, err)
			}
		}
		w.Begin, w.End = timeAt(began), timeOrZeroNull(ended)
		works, ids = append(works, w), append(ids, id)
		return nil
	}, query, args...)
	for from := 0; from < len(ids) && err == nil; from += phasesAtOnce {
		to := min(from+phasesAtOnce, len(ids))
		err = addPhases(ctx, db, works[from:to], ids[from:to])
	}
	if err != nil {
		return nil, nil, err
	}
	return works, ids, nil
}

func timeAt(micro int64) time.Time { return time.UnixMicro(micro).UTC() }

func timeOrZeroNull(micro sql.NullInt64) time.Time {
	if !micro.Valid {
		return time.Time{}
	}
	return timeAt(micro.Int64)
}

// phasesAtOnce is the number of operations whose phases are read with one query.
const phasesAtOnce = 500

// addPhases adds the phases in the database to works. ids contains the database's IDs of these operations.
func addPhases(ctx context.Context, db querier, works []models.Work, ids []int64) error {
	place, args := map[int64]int{}, make([]any, len(ids))
	for i, id := range ids {
		place[id], args[i] = i, id
	}
	query := "SELECT work, kind, step, began, ended, outcome FROM phases WHERE work IN (?" + //nolint:gosec // marks alone
		strings.Repeat(", ?", len(ids)-1) + ") ORDER BY work, place"
	return eachRow(ctx, db, func(rows *sql.Rows) error {
		var p models.Phase
		var work, began int64
		var ended sql.NullInt64
		if err := rows.Scan(&work, &p.Kind, &p.Step, &began, &ended, &p.Outcome); err != nil {
			return err
		}
		p.Begin, p.End = timeAt(began), timeOrZeroNull(ended)
		w := &works[place[work]]
		w.Phases = append(w.Phases, p)
		return nil
	}, query, args...)
}

// Transitions returns the transitions of a node since the given time, the oldest first.
func (j *Journal) Transitions(ctx context.Context, uuid string, since time.Time) (events []models.Event, err error) {
	err = j.query(ctx, func(rows *sql.Rows) error {
		var e models.Event
		var when int64
		err := rows.Scan(&when, &e.Node.UUID, &e.Node.Name, &e.Kind, &e.From, &e.To, &e.Reason, &e.Inferred)
		e.Time = timeAt(when)
		events = append(events, e)
		return err
	}, `SELECT at, node, name, kind, was, became, reason, inferred FROM transitions
WHERE node = ? AND at >= ? ORDER BY at, id`, uuid, since.UnixMicro())
	return events, err
}
