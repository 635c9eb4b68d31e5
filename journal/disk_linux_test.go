package journal

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
)

// TestSmallDisk checks that the journal survives a full disk. This is worse than a file that cannot grow, because the
// write-ahead log cannot grow, either. The test needs the permission to mount a disk.
func TestSmallDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		afterTheRecords()
		if os.Getenv("IRONWORKS_TEST_LONG") == "" {
			t.Skip("mounting a disk needs root: make test-long")
		}
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); err != nil {
			t.Fatalf("a disk of its own cannot be mounted here: %v", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
		var reported []error
		j := Open(context.Background(), Options{Path: filepath.Join(dir, "journal-x.db"), OnError: func(err error) { reported = append(reported, err) }})
		defer j.Close()
		j.Record(Records{Works: []models.Work{deployment(0, 5, 9)}, Lines: noisyLines("b1", 0, 1000)})
		before := textsOf(readLines(t, j, time.Time{}, time.Time{}))
		ballast := filepath.Join(dir, "ballast")
		if err := os.WriteFile(ballast, make([]byte, 4<<20), 0o600); err == nil {
			t.Fatal("the disk is not full")
		}
		for n := 1000; n < 5000; n += 1000 {
			j.Record(Records{Lines: noisyLines("b1", n, n+1000)})
			if err := j.flushed(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(reported) != 1 {
			t.Errorf("reported %v", reported)
		}
		if got := textsOf(readLines(t, j, time.Time{}, time.Time{})); got != before {
			t.Errorf("what is there cannot be read: %d bytes of %d", len(got), len(before))
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		if lines := readLines(t, j, time.Time{}, time.Time{}); len(lines) != 5000 || ofNode(t, j) == "" {
			t.Errorf("%d lines, want 5000", len(lines))
		}
		if len(reported) != 1 {
			t.Errorf("reported %v", reported)
		}
		verdict := ""
		if err := j.read.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
			t.Errorf("%s %v", verdict, err)
		}
	})
}
