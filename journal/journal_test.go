package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ironworks/models"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(writesFor); path != "" {
		writeUntilKilled(path)
		return
	}
	if path := os.Getenv(followsFor); path != "" {
		follow(path)
		return
	}
	goleak.VerifyTestMain(m)
}

// afterTheRecords advances the bubble's time past the times of all records. From then on, records are written only
// when the journal is read, or when the test lets time pass.
func afterTheRecords() { <-time.After(time.Until(second(365 * 24 * 3600))) }

func second(s int) time.Time { return time.Unix(1_700_000_000+int64(s), 0).UTC() }

const uuid = "11111111-0000-4000-8000-000000000000"

func ref() models.NodeRef { return models.NodeRef{UUID: uuid, Name: "r7-n01"} }

// deployment returns a deployment whose phases start at the given seconds. The last number is the second at which it
// ended; if it is negative, the deployment is still running.
func deployment(begins ...int) models.Work {
	kinds := []models.Phase{{Kind: models.PhasePower}, {Kind: models.PhaseBoot}, {Kind: models.PhaseStep, Step: "deploy.install_coreos"}, {Kind: models.PhaseReboot}}
	w := models.Work{Node: ref(), ResourceClass: "gp", Kind: models.StateDeploying, Begin: second(begins[0]), Whole: true, Outcome: models.OutcomeRunning}
	end := begins[len(begins)-1]
	begins = begins[:len(begins)-1]
	for i, b := range begins {
		p := kinds[i]
		p.Begin, p.Outcome = second(b), models.OutcomeRunning
		if i+1 < len(begins) {
			p.End, p.Outcome = second(begins[i+1]), models.OutcomeDone
		} else if end >= 0 {
			p.End, p.Outcome = second(end), models.OutcomeDone
		}
		w.Phases = append(w.Phases, p)
	}
	if end >= 0 {
		w.End, w.Outcome = second(end), models.OutcomeDone
	}
	return w
}

// midway returns the operation w as observed by a program that was started at the given second, during the phase with
// index n.
func midway(w models.Work, n, at int) models.Work {
	w.Whole, w.Begin = false, second(at)
	w.Phases = append([]models.Phase(nil), w.Phases[n:]...)
	w.Phases[0].Begin = second(at)
	return w
}

// text formats operations briefly, one per line, so that tests can compare them.
func text(works []models.Work) string {
	var lines []string
	for i := range works {
		w := &works[i]
		line := fmt.Sprintf("%s %s %s %d-%d whole=%v", w.Node.Name, w.Kind, w.Outcome, rel(w.Begin), rel(w.End), w.Whole)
		for _, p := range w.Phases {
			line += fmt.Sprintf(" | %s %d-%d %s", p.Name(), rel(p.Begin), rel(p.End), p.Outcome)
		}
		if w.Reason != "" {
			line += " (" + w.Reason + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func rel(t time.Time) int64 {
	if t.IsZero() {
		return -1
	}
	return t.Unix() - 1_700_000_000
}

func open(t *testing.T, path string) *Journal {
	t.Helper()
	j := Open(context.Background(), Options{Path: path, OnError: func(err error) { t.Errorf("trouble: %v", err) }})
	t.Cleanup(j.Close)
	return j
}

func file(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "state", "journal-rack7.db")
}

func ofNode(t *testing.T, j *Journal) string {
	t.Helper()
	works, err := j.OfNode(t.Context(), uuid, 100)
	if err != nil {
		t.Fatal(err)
	}
	return text(works)
}

func TestRecord(t *testing.T) {
	path := file(t)
	j := open(t, path)
	if got := ofNode(t, j); got != "" {
		t.Errorf("before anything: %s", got)
	}
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("who only looks makes files: %v", err)
	}
	events := []models.Event{
		{Time: second(1), Node: ref(), Kind: models.EventProvisionState, From: "available", To: "deploying"},
		{Time: second(2), Node: ref(), Kind: models.EventPower, From: "power off", To: "power on", Inferred: true, Reason: "wh\x00y"},
	}
	j.Record(Records{Events: events, Works: []models.Work{deployment(1, -1)}})
	j.Record(Records{Works: []models.Work{deployment(1, 5, -1)}})
	failed := deployment(1, 5, 60)
	failed.Outcome, failed.Reason, failed.Phases[1].Outcome = models.OutcomeFailed, "no disk", models.OutcomeFailed
	j.Record(Records{Works: []models.Work{failed}})
	want := "r7-n01 deploying failed 1-60 whole=true | power on 1-5 done | boot to ramdisk 5-60 failed (no disk)"
	if got := ofNode(t, j); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	j.Close()
	j.Close()
	j.Record(Records{Events: events}) // this is too late, so it is ignored

	again := open(t, path)
	if got := ofNode(t, again); got != want {
		t.Errorf("after a restart: %s", got)
	}
	got, err := again.Transitions(t.Context(), uuid, second(2))
	if err != nil || len(got) != 1 || got[0] != events[1] {
		t.Errorf("%v %+v, want %+v", err, got, events[1])
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestLatest(t *testing.T) {
	j := open(t, file(t))
	var works []models.Work
	for i := range 30 {
		works = append(works, deployment(i*1000, i*1000+5, i*1000+9))
		clean := deployment(i*1000+500, i*1000+600)
		clean.Kind = models.StateCleaning
		works = append(works, clean)
	}
	works = append(works, deployment(90_000, -1))
	j.Record(Records{Works: works})
	got, err := j.Latest(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, w := range got {
		kinds = append(kinds, fmt.Sprintf("%s %d %d", w.Kind, rel(w.Begin), len(w.Phases)))
	}
	if fmt.Sprint(kinds) != "[cleaning 29500 1 deploying 29000 2 cleaning 28500 1 deploying 28000 2 cleaning 27500 1 deploying 27000 2]" {
		t.Errorf("%v", kinds)
	}
}

// TestOldRecordsAreDeleted checks that records are deleted once they are a year older than the newest record. The
// phases of a deleted operation must be deleted as well.
func TestOldRecordsAreDeleted(t *testing.T) {
	j := open(t, file(t))
	year := int(keepFor / time.Second)
	old := []models.Event{{Time: second(1), Node: ref(), Kind: models.EventPower, To: "power on"}}
	j.Record(Records{Events: old, Works: []models.Work{deployment(1, 5, 9)}})
	_ = ofNode(t, j)
	j.Record(Records{Works: []models.Work{deployment(year-90, year-80, year-60)}})
	if got := ofNode(t, j); strings.Count(got, "\n") != 1 {
		t.Errorf("the first one goes too early:\n%s", got)
	}
	j.Record(Records{Works: []models.Work{deployment(year+100, year+120, year+130)}})
	if got := ofNode(t, j); strings.Count(got, "\n") != 1 || strings.Contains(got, " 1-9 ") {
		t.Errorf("the first one stays:\n%s", got)
	}
	var phases, transitions int
	if err := j.read.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM phases), (SELECT count(*) FROM transitions)").Scan(&phases, &transitions); err != nil || phases != 4 || transitions != 0 {
		t.Errorf("%d phases, %d transitions, %v", phases, transitions, err)
	}
}

// TestFutureRecordsDeleteNothing checks that a server whose clock shows the year 2999 does not make all other records
// count as old.
func TestFutureRecordsDeleteNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(second(60)))
		j := open(t, file(t))
		j.Record(Records{
			Events: []models.Event{{Time: second(1), Node: ref(), Kind: models.EventPower, To: "power on"}},
			Works:  []models.Work{deployment(1, 5, 9)},
		})
		_ = ofNode(t, j)
		future := time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
		j.Record(Records{Events: []models.Event{{Time: future, Node: ref(), Kind: models.EventPower, To: "power off"}}})
		if got := ofNode(t, j); !strings.Contains(got, " 1-9 ") {
			t.Errorf("the work is gone:\n%s", got)
		}
		events, err := j.Transitions(t.Context(), uuid, time.Time{})
		if err != nil || len(events) != 2 {
			t.Errorf("%d transitions, %v", len(events), err)
		}
	})
}

// TestTwoPrograms checks that records are stored only once if two programs that share a file observe the same
// operations.
func TestTwoPrograms(t *testing.T) {
	path := file(t)
	a, b := open(t, path), open(t, path)
	var both sync.WaitGroup
	for i, j := range []*Journal{a, b} {
		both.Go(func() {
			for n := range 200 {
				at := n*1000 + i // the second program sees it a second later
				e := models.Event{Time: second(at), Node: ref(), Kind: models.EventProvisionState, From: "available", To: "deploying"}
				j.Record(Records{Events: []models.Event{e}, Works: []models.Work{deployment(at, at+5, -1)}})
				j.Record(Records{Works: []models.Work{deployment(at, at+5, at+60)}})
				if n%20 == 0 {
					_ = j.flushed(t.Context())
				}
			}
		})
	}
	both.Wait()
	for _, j := range []*Journal{a, b} {
		_ = j.flushed(t.Context())
	}
	works, err := a.OfNode(t.Context(), uuid, 1000)
	if err != nil || len(works) != 200 {
		t.Errorf("%d works, want 200: %v", len(works), err)
	}
	events, err := b.Transitions(t.Context(), uuid, time.Time{})
	if err != nil || len(events) != 200 {
		t.Errorf("%d transitions, want 200: %v", len(events), err)
	}
}

// TestManyProgramsAtOnce checks that many programs can create the same file at the same time without errors.
func TestManyProgramsAtOnce(t *testing.T) {
	for range 20 {
		path := file(t)
		var all sync.WaitGroup
		begin := make(chan struct{})
		for n := range 6 {
			j := open(t, path)
			all.Go(func() {
				<-begin
				j.Record(Records{Works: []models.Work{deployment(n*1000, n*1000+5, -1)}})
				_ = j.flushed(t.Context())
			})
		}
		close(begin)
		all.Wait()
		j := open(t, path)
		if works, err := j.OfNode(t.Context(), uuid, 1000); err != nil || len(works) != 6 {
			t.Fatalf("%d works, want 6: %v", len(works), err)
		}
	}
}

// TestTroubleIsReportedOnce checks that a failure to write is reported only once, and that the waiting records are
// written once writing works again.
func TestTroubleIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		afterTheRecords()
		dir := t.TempDir()
		blocked := filepath.Join(dir, "state")
		if err := os.WriteFile(blocked, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		var reported []error
		j := Open(context.Background(), Options{Path: filepath.Join(blocked, "journal-x.db"), OnError: func(err error) { reported = append(reported, err) }})
		defer j.Close()
		for n := range 5 {
			j.Record(Records{Works: []models.Work{deployment(n*1000, n*1000+5, -1)}})
			if err := j.flushed(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(reported) != 1 || !strings.Contains(reported[0].Error(), "journal") {
			t.Fatalf("reported %v", reported)
		}
		if err := os.Remove(blocked); err != nil {
			t.Fatal(err)
		}
		if got := ofNode(t, j); strings.Count(got, "\n") != 4 {
			t.Errorf("what waited: %s", got)
		}
		if len(reported) != 1 {
			t.Errorf("reported %v", reported)
		}
	})
}

// TestFullDisk checks that the content stays readable if the file cannot grow, and that no part of a batch is
// written.
func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		afterTheRecords()
		var reported []error
		j := Open(context.Background(), Options{Path: file(t), OnError: func(err error) { reported = append(reported, err) }})
		defer j.Close()
		j.Record(Records{Works: []models.Work{deployment(0, 5, 9)}})
		before := ofNode(t, j)
		if _, err := j.write.ExecContext(t.Context(), "PRAGMA max_page_count = 1"); err != nil { // the current size is the smallest possible maximum
			t.Fatal(err)
		}
		var many []models.Work
		for n := range 3000 {
			many = append(many, deployment(1000+n*100, 1000+n*100+5, 1000+n*100+9))
		}
		j.Record(Records{Works: many})
		for range 3 {
			if got := ofNode(t, j); got != before {
				t.Fatalf("half a batch was written: %d lines", strings.Count(got, "\n"))
			}
		}
		if len(reported) != 1 || !strings.Contains(reported[0].Error(), "full") {
			t.Errorf("reported %v", reported)
		}
		if _, err := j.write.ExecContext(t.Context(), "PRAGMA max_page_count = 1000000"); err != nil {
			t.Fatal(err)
		}
		j.Record(Records{Works: []models.Work{deployment(900_000, 900_009)}})
		if works, err := j.OfNode(t.Context(), uuid, 5000); err != nil || len(works) != 3002 {
			t.Errorf("%d works, want 3002: %v", len(works), err)
		}
	})
}

// TestWrittenInTheBackground checks that records are written shortly after they were recorded, even if nothing is
// read. Lines are written later. After a failure, writing is retried.
func TestWrittenInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		afterTheRecords()
		var reported []error
		path := file(t)
		j := Open(context.Background(), Options{Path: path, OnError: func(err error) { reported = append(reported, err) }})
		defer j.Close()
		waits := func() string {
			synctest.Wait()
			j.mu.Lock()
			defer j.mu.Unlock()
			return fmt.Sprintf("%d works, %d lines", len(j.waiting.works), len(j.waiting.lines))
		}
		// pass lets the duration d pass. It checks that the waiting records do not change until the end of d, and
		// that want describes the records that are still waiting then.
		pass := func(d time.Duration, want string) {
			t.Helper()
			before := waits()
			<-time.After(d - time.Millisecond)
			if got := waits(); got != before {
				t.Errorf("%s wait before %v, want %s", got, d, before)
			}
			<-time.After(time.Millisecond)
			if got := waits(); got != want {
				t.Errorf("%s wait after %v, want %s", got, d, want)
			}
		}
		j.Record(Records{Works: []models.Work{deployment(0, 9)}, Lines: logLines("b1", 0, 10)})
		pass(batchDelay, "0 works, 10 lines")
		pass((linesEvery-1)*batchDelay, "0 works, 0 lines")
		if _, err := j.write.ExecContext(t.Context(), "PRAGMA query_only = ON"); err != nil {
			t.Fatal(err)
		}
		j.Record(Records{Works: []models.Work{deployment(1000, 1009)}})
		pass(batchDelay+retryAfter, "1 works, 0 lines")
		if _, err := j.write.ExecContext(t.Context(), "PRAGMA query_only = OFF"); err != nil {
			t.Fatal(err)
		}
		pass(retryAfter, "0 works, 0 lines")
		if len(reported) != 1 {
			t.Errorf("reported %v", reported)
		}
	})
}

func TestWaitingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		afterTheRecords()
		j := Open(context.Background(), Options{Path: file(t)})
		defer j.Close()
		many := make([]models.Event, maxWaiting/2)
		for i := range many {
			many[i] = models.Event{Time: second(i * 60), Node: ref(), Kind: models.EventPower}
		}
		for range 3 {
			j.Record(Records{Events: many, Works: []models.Work{deployment(0, -1)}})
			j.Record(Records{Events: many[:1], Works: []models.Work{deployment(0, 5, -1)}})
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		if n := len(j.waiting.events) + len(j.waiting.works); n != maxWaiting || j.dropped.records == 0 {
			t.Errorf("%d wait, %d were dropped", n, j.dropped)
		}
		if len(j.waiting.works) != 1 || len(j.waiting.works[0].Phases) != 2 {
			t.Errorf("of a work its last state counts: %d", len(j.waiting.works))
		}
	})
}

func TestBadFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		afterTheRecords()
		newer := file(t)
		j := open(t, newer)
		j.Record(Records{Works: []models.Work{deployment(0, 9)}})
		_ = j.flushed(t.Context())
		if _, err := j.write.ExecContext(t.Context(), "PRAGMA user_version = 99"); err != nil {
			t.Fatal(err)
		}
		j.Close()
		garbage := filepath.Join(t.TempDir(), "journal-y.db")
		if err := os.WriteFile(garbage, []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]string{newer: "schema 99, but this ironworks supports 2", garbage: "not a database", "": "set HOME or XDG_STATE_HOME"} {
			before, _ := os.ReadFile(path)
			var reported []error
			j := Open(context.Background(), Options{Path: path, OnError: func(err error) { reported = append(reported, err) }})
			j.Record(Records{Works: []models.Work{deployment(1000, 1009)}})
			_, err := j.OfNode(t.Context(), uuid, 9)
			j.Close()
			if len(reported) != 1 || !strings.Contains(reported[0].Error(), want) || path != "" && err == nil {
				t.Errorf("%s: reported %v, read %v", path, reported, err)
			}
			if path == newer && !strings.Contains(err.Error(), want) {
				t.Errorf("read %v", err)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Errorf("%s was changed", path)
			}
		}
	})
}

// TestMigrations checks that several programs can migrate a file at the same time, and that a failed step leaves the
// file unchanged.
func TestMigrations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := connect(path, "journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	steps := []string{"CREATE TABLE a (x)", "CREATE TABLE b (x); CREATE TABLE a (x)"}
	if err := migrate(t.Context(), db, path, steps); err == nil || !strings.Contains(err.Error(), "schema 2") {
		t.Errorf("%v", err)
	}
	steps[1] = "CREATE TABLE b (x)"
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			db, err := connect(path, "journal_mode(WAL)")
			if err == nil {
				err = migrate(context.Background(), db, path, steps)
			}
			if err := errors.Join(err, db.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	version := 0
	if err := db.QueryRowContext(t.Context(), "PRAGMA user_version").Scan(&version); err != nil || version != 2 {
		t.Errorf("%d %v", version, err)
	}
}
