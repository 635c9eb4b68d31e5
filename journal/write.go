package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"ironworks/models"
)

const (
	// sameWithin is the maximum time between two programs' reports of the same transition.
	sameWithin = 10 * time.Second
	// keepFor is the maximum age of records, relative to the newest record that is not in the future.
	keepFor = 365 * 24 * time.Hour
	// writeTimeout limits the time for writing a batch, so that a disk that hangs cannot keep the program from
	// ending.
	writeTimeout = 10 * time.Second
)

// store writes a batch in one transaction.
func (j *Journal) store(ctx context.Context, b *batch) (err error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	db, err := j.forWriting(ctx)
	if err != nil {
		return err
	}
	if j.packer == nil {
		if j.packer, err = newPacker(); err != nil {
			return err
		}
	}
	if err := j.storeIn(ctx, db, b); err != nil {
		j.seen = newLineIndex() // after a failure, the index contains lines that are not in the file
		return fmt.Errorf("cannot write journal %s: %w", j.opts.Path, err)
	}
	return nil
}

func (j *Journal) storeIn(ctx context.Context, db *sql.DB, b *batch) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	w := &writing{ctx: ctx, tx: tx, writer: j.writer, packer: j.packer, seen: j.seen, prepared: map[string]*sql.Stmt{}}
	defer w.close()
	if err := w.events(b.events); err != nil {
		return err
	}
	for i := range b.works {
		if err := w.work(&b.works[i]); err != nil {
			return err
		}
	}
	if err := w.pictures(b.pictures); err != nil {
		return err
	}
	if err := w.lines(b.lines); err != nil {
		return err
	}
	newest := b.newest()
	if b.dropped != (dropped{}) {
		if _, err := w.exec("INSERT INTO dropped (at, records, lines) VALUES (?, ?, ?)", newest.UnixMicro(), b.dropped.records, b.dropped.lines); err != nil {
			return err
		}
	}
	// Ignore times in the future. Otherwise, a server whose clock is ahead would make all other records count as old.
	if now := time.Now(); newest.After(now) {
		newest = now
	}
	if err := w.forgetOld(newest, j.opts.Limits); err != nil {
		return err
	}
	return tx.Commit()
}

// writing is a batch that is being written.
type writing struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one call of store
	tx     *sql.Tx
	writer string
	packer *packer
	seen   *lineIndex
	// prepared holds the statements prepared for this batch, by query.
	prepared map[string]*sql.Stmt
}

func (w *writing) close() {
	for _, s := range w.prepared {
		_ = s.Close()
	}
}

// statement returns the prepared statement for query. Each statement is prepared once per batch.
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

// QueryContext runs a query within the transaction of the batch.
func (w *writing) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := w.statement(query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// query calls scan for each row that a query returns.
func (w *writing) query(scan func(*sql.Rows) error, query string, args ...any) error {
	return eachRow(w.ctx, w, scan, query, args...)
}

// events stores transitions, except for transitions that another program has already stored.
func (w *writing) events(events []models.Event) error {
	const insert = `
INSERT INTO transitions (at, node, name, kind, was, became, reason, inferred, writer)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE NOT EXISTS (
	SELECT 1 FROM transitions WHERE node = ?2 AND at BETWEEN ?1 - ?10 AND ?1 + ?10
	AND kind = ?4 AND was = ?5 AND became = ?6 AND writer <> ?9)`
	for i := range events {
		e := &events[i]
		if _, err := w.exec(insert, e.Time.UnixMicro(), e.Node.UUID, e.Node.Name, string(e.Kind), e.From, e.To, e.Reason,
			e.Inferred, w.writer, sameWithin.Microseconds()); err != nil {
			return err
		}
	}
	return nil
}

// work stores an operation. If it is already stored, the new data is joined with the stored data.
func (w *writing) work(fresh *models.Work) error {
	id, known, err := w.candidate(fresh)
	if err != nil {
		return err
	}
	if id == 0 || !sameOperation(&known, fresh) {
		return w.save(0, fresh)
	}
	joined := joinOperations(known, *fresh)
	return w.save(id, &joined)
}

// candidate returns the stored operation that fresh may continue, and its ID. The ID is 0 if there is none.
func (w *writing) candidate(fresh *models.Work) (id int64, known models.Work, err error) {
	works, ids, err := selectOperations(w.ctx, w, selectWorks+
		" WHERE node = ? AND kind = ? AND began <= ? ORDER BY began DESC, id DESC LIMIT 1",
		fresh.Node.UUID, string(fresh.Kind), seenLast(fresh).Add(clockTolerance).UnixMicro())
	if err != nil || len(works) == 0 {
		return 0, known, err
	}
	return ids[0], works[0], nil
}

// save replaces the stored operation with the given ID, or adds an operation if the ID is 0.
func (w *writing) save(id int64, x *models.Work) error {
	values, err := fields(x)
	if err != nil {
		return err
	}
	if id == 0 {
		added, err := w.exec(`INSERT INTO works
(node, name, class, kind, began, ended, seen, whole, outcome, reason, evidence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, values...)
		if err != nil {
			return err
		}
		if id, err = added.LastInsertId(); err != nil {
			return err
		}
		return w.phases(id, x)
	}
	if _, err := w.exec(`UPDATE works SET
node = ?, name = ?, class = ?, kind = ?, began = ?, ended = ?, seen = ?, whole = ?, outcome = ?, reason = ?, evidence = ? WHERE id = ?`,
		append(values, id)...); err != nil {
		return err
	}
	if _, err := w.exec("DELETE FROM phases WHERE work = ?", id); err != nil {
		return err
	}
	return w.phases(id, x)
}

// fields returns the values for the columns of an operation, in the order of the columns.
func fields(x *models.Work) ([]any, error) {
	var evidence any
	if x.Evidence != nil {
		text, err := json.Marshal(x.Evidence.WithoutSecrets())
		if err != nil {
			return nil, err
		}
		evidence = string(text)
	}
	return []any{
		x.Node.UUID, x.Node.Name, x.ResourceClass, string(x.Kind), x.Begin.UnixMicro(), nullableMicro(x.End),
		seenLast(x).UnixMicro(), x.Whole, string(x.Outcome), x.Reason, evidence,
	}, nil
}

// nullableMicro converts a time to microseconds since 1970 for the database. The zero time becomes NULL.
func nullableMicro(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

func (w *writing) phases(id int64, x *models.Work) error {
	for i := range x.Phases {
		p := &x.Phases[i]
		if _, err := w.exec("INSERT INTO phases (work, place, kind, step, began, ended, outcome) VALUES (?, ?, ?, ?, ?, ?, ?)",
			id, i, string(p.Kind), p.Step, p.Begin.UnixMicro(), nullableMicro(p.End), string(p.Outcome)); err != nil {
			return err
		}
	}
	return nil
}

// newest returns the latest time in the batch's records.
func (b *batch) newest() time.Time {
	var newest time.Time
	for i := range b.events {
		newest = latest(newest, b.events[i].Time)
	}
	for i := range b.works {
		newest = latest(newest, seenLast(&b.works[i]))
	}
	for i := range b.pictures {
		newest = latest(newest, b.pictures[i].At)
	}
	for i := range b.lines {
		newest = latest(newest, b.lines[i].Received)
	}
	return newest
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
