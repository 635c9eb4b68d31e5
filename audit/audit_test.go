package audit_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ironworks/audit"
	"ironworks/models"
)

func TestAuditFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "state", "audit.jsonl")
	var writers sync.WaitGroup
	for w := range 4 { // simulates four processes
		book, err := audit.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for g := range 4 {
			writers.Go(func() {
				for i := range 100 {
					rec := audit.Record{
						ID: fmt.Sprintf("%d-%d-%d", w, g, i), Context: "lab", Node: models.NodeRef{UUID: "u", Name: "n\n1"}, Verb: "manage",
						Result: audit.Sending,
					}
					if err := book.Write(rec); err != nil {
						t.Error(err)
					}
				}
			})
		}
		t.Cleanup(func() { _ = book.Close() })
	}
	writers.Wait()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	seen := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var rec audit.Record
		if err := json.Unmarshal(lines.Bytes(), &rec); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		seen[rec.ID] = true
	}
	if len(seen) != 1600 {
		t.Errorf("%d records of 1600", len(seen))
	}
	mode(t, path, 0o600)
	mode(t, filepath.Dir(path), 0o700)
	mode(t, filepath.Dir(filepath.Dir(path)), 0o700)
}

func mode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has mode %o, want %o", path, got, want)
	}
}

func TestAuditFileBecomesPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.WriteFile(path, []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	book, err := audit.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	mode(t, path, 0o600)
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
	if err := book.Write(audit.Record{}); err == nil {
		t.Error("a write that failed is not told")
	}
	if _, err := audit.Open(filepath.Join(path, "below", "a-file")); err == nil {
		t.Error("opened below a file")
	}
}

func TestReadAudit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	one, other := models.NodeRef{UUID: "u-1", Name: "n1"}, models.NodeRef{UUID: "u-2", Name: "n2"}
	if got, err := audit.Read(path, "lab", one); err != nil || len(got) != 0 {
		t.Errorf("without a file: %v %v", got, err)
	}
	book, err := audit.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	for i, r := range []audit.Record{
		{ID: "a", Context: "lab", Node: one, Verb: "manage", Result: audit.Sending},
		{ID: "b", Context: "lab", Node: other, Verb: "manage", Result: audit.Sending},
		{ID: "c", Context: "prod", Node: one, Verb: "deploy", Result: audit.Sending},
		{ID: "a", Context: "lab", Node: one, Verb: "manage", Result: audit.Accepted, RequestID: "req-1"},
		{ID: "d", Context: "lab", Node: one, Verb: "provide", Result: audit.Sending},
	} {
		r.Time = at.Add(time.Duration(i) * time.Second)
		if err := book.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	_ = book.Close()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString(`{"id":"e","context":"lab","node":{"uuid":"u-1"`) // simulates a process that was killed while writing
	_ = f.Close()
	records, err := audit.Read(path, "lab", one)
	var got []string
	for _, r := range records {
		got = append(got, fmt.Sprintf("%s %s %s %s", r.Time.Format("05"), r.Verb, r.Result, r.RequestID))
	}
	if err != nil || fmt.Sprintf("%q", got) != `["00 manage accepted req-1" "04 provide sending "]` {
		t.Errorf("%q %v", got, err)
	}
}

// TestTruncatedLineDamagesNoOther checks that a line that was truncated by a crash or a full disk does not damage
// other lines. The next record starts on a new line, whichever process writes it.
func TestTruncatedLineDamagesNoOther(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	write := func(a *audit.File, id string) {
		t.Helper()
		if err := a.Write(audit.Record{ID: id, Context: "lab", Node: models.NodeRef{UUID: "u1"}}); err != nil {
			t.Fatal(err)
		}
	}
	open := func() *audit.File {
		t.Helper()
		a, err := audit.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = a.Close() })
		return a
	}
	tear := func() {
		t.Helper()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(`{"id":"torn","context":"lab","node":{"uuid":"u1`)
			_ = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	first := open()
	write(first, "1")
	tear()
	write(first, "2") // the file was open already
	tear()
	second := open()
	write(second, "3")
	write(first, "4")
	records, err := audit.Read(path, "lab", models.NodeRef{UUID: "u1"})
	var ids []string
	for _, r := range records {
		ids = append(ids, r.ID)
	}
	if err != nil || !slices.Equal(ids, []string{"1", "2", "3", "4"}) {
		t.Errorf("read %q, %v", ids, err)
	}
	if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), "\n\n") {
		t.Errorf("empty lines: %q, %v", data, err)
	}
}
