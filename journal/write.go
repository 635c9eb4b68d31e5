package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"ironworks/models"
)

const (
	// twice is how far apart two programs tell the same transition.
	twice = 10 * time.Second
	// keepFor is how long records are kept, counted back from the newest.
	keepFor = 365 * 24 * time.Hour
	// patience bounds the writing of a batch: a disk that hangs must not hold up the end
	// of the program for ever.
	patience = 10 * time.Second
)

// store writes a batch, all of it or nothing.
func (j *Journal) store(ctx context.Context, batch *records) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	db, err := j.forWriting(ctx)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return j.failed(err)
	}
	defer func() { _ = tx.Rollback() }()
	w := &writing{ctx: ctx, tx: tx, writer: j.writer, prepared: map[string]*sql.Stmt{}}
	defer w.close()
	if err := w.events(batch.events); err != nil {
		return j.failed(err)
	}
	for i := range batch.works {
		if err := w.work(&batch.works[i]); err != nil {
			return j.failed(err)
		}
	}
	if err := w.forgetOld(batch); err != nil {
		return j.failed(err)
	}
	if err := tx.Commit(); err != nil {
		return j.failed(err)
	}
	return nil
}

func (j *Journal) failed(err error) error {
	return fmt.Errorf("what happens is not kept in journal %s: %w", j.opts.Path, err)
}

// writing is a batch on its way.
type writing struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one call of store
	tx     *sql.Tx
	writer string
	// prepared are the statements that were used already.
	prepared map[string]*sql.Stmt
}

func (w *writing) close() {
	for _, s := range w.prepared {
		_ = s.Close()
	}
}

// statement prepares a statement once for all of the batch.
func (w *writing) statement(query string) (*sql.Stmt, error) {
	if s, ok := w.prepared[query]; ok {
		return s, nil
	}
	s, err := w.tx.PrepareContext(w.ctx, query)
	if err == nil {
		w.prepared[query] = s
	}
	return s, err
}

func (w *writing) exec(query string, args ...any) (sql.Result, error) {
	s, err := w.statement(query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(w.ctx, args...)
}

// QueryContext asks within the batch.
func (w *writing) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := w.statement(query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// events appends transitions, but for those that another program told already.
func (w *writing) events(events []models.Event) error {
	const insert = `
INSERT INTO transitions (at, node, name, kind, was, became, reason, inferred, writer)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE NOT EXISTS (
	SELECT 1 FROM transitions WHERE node = ?2 AND at BETWEEN ?1 - ?10 AND ?1 + ?10
	AND kind = ?4 AND was = ?5 AND became = ?6 AND writer <> ?9)`
	for i := range events {
		e := &events[i]
		if _, err := w.exec(insert, e.Time.UnixMicro(), e.Node.UUID, e.Node.Name, string(e.Kind), e.From, e.To, e.Reason,
			e.Inferred, w.writer, twice.Microseconds()); err != nil {
			return err
		}
	}
	return nil
}

// work writes a piece of work as it stands now, joined with what is known of it.
func (w *writing) work(fresh *models.Work) error {
	id, known, err := w.candidate(fresh)
	if err != nil {
		return err
	}
	if id == 0 || !same(&known, fresh) {
		return w.insert(fresh)
	}
	return w.replace(id, join(known, *fresh))
}

// candidate is the last piece of work that the fresh one may be, 0 for none.
func (w *writing) candidate(fresh *models.Work) (id int64, known models.Work, err error) {
	rows, err := w.QueryContext(w.ctx, selectWorks+
		" WHERE node = ? AND kind = ? AND began <= ? ORDER BY began DESC, id DESC LIMIT 1",
		fresh.Node.UUID, string(fresh.Kind), seenLast(fresh).Add(nearly).UnixMicro())
	if err != nil {
		return 0, known, err
	}
	works, ids, err := scanWorks(rows)
	if err != nil || len(works) == 0 {
		return 0, known, err
	}
	if err := addPhases(w.ctx, w, works, ids); err != nil {
		return 0, known, err
	}
	return ids[0], works[0], nil
}

func (w *writing) insert(x *models.Work) error {
	res, err := w.exec(`INSERT INTO works
(node, name, class, kind, began, ended, seen, whole, outcome, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, fields(x)...)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	return w.phases(id, x)
}

func (w *writing) replace(id int64, x models.Work) error {
	if _, err := w.exec(`UPDATE works SET
node = ?, name = ?, class = ?, kind = ?, began = ?, ended = ?, seen = ?, whole = ?, outcome = ?, reason = ? WHERE id = ?`,
		append(fields(&x), id)...); err != nil {
		return err
	}
	if _, err := w.exec("DELETE FROM phases WHERE work = ?", id); err != nil {
		return err
	}
	return w.phases(id, &x)
}

// fields are a work's columns in their order.
func fields(x *models.Work) []any {
	return []any{
		x.Node.UUID, x.Node.Name, x.ResourceClass, string(x.Kind), x.Begin.UnixMicro(), micro(x.End),
		seenLast(x).UnixMicro(), x.Whole, string(x.Outcome), x.Reason,
	}
}

// micro is a time as it is stored; the zero time is NULL.
func micro(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

func (w *writing) phases(id int64, x *models.Work) error {
	for i := range x.Phases {
		p := &x.Phases[i]
		if _, err := w.exec("INSERT INTO phases (work, place, kind, step, began, ended, outcome) VALUES (?, ?, ?, ?, ?, ?, ?)",
			id, i, string(p.Kind), p.Step, p.Begin.UnixMicro(), micro(p.End), string(p.Outcome)); err != nil {
			return err
		}
	}
	return nil
}

// forgetOld drops what is much older than what is written now: a few rows each time, by
// an index.
func (w *writing) forgetOld(batch *records) error {
	var newest time.Time
	for i := range batch.events {
		newest = latest(newest, batch.events[i].Time)
	}
	for i := range batch.works {
		newest = latest(newest, seenLast(&batch.works[i]))
	}
	before := newest.Add(-keepFor).UnixMicro()
	_, err := w.exec("DELETE FROM transitions WHERE at < ?", before)
	_, err2 := w.exec("DELETE FROM works WHERE seen < ?", before)
	return errors.Join(err, err2)
}

func latest(a, b time.Time) time.Time { return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare) }
