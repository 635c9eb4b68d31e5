package journal

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ironworks/models"
)

// TestSmallDisk has a disk that is full, not only a file that may not grow: the write-ahead
// log cannot either. It needs to mount one.
func TestSmallDisk(t *testing.T) {
	if os.Getenv("IRONWORKS_TEST_LONG") == "" {
		t.Skip("mounts a disk of its own, which not everybody may")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); err != nil {
		t.Fatalf("a disk of its own cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	var told []error
	j := Open(context.Background(), Options{Path: filepath.Join(dir, "journal-x.db"), Clock: never{}, Trouble: func(err error) { told = append(told, err) }})
	defer j.Close()
	j.Note(Records{Works: []models.Work{deployment(0, 5, 9)}, Lines: noisyLines("b1", 0, 1000)})
	before := textsOf(readLines(t, j, time.Time{}, time.Time{}))
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 4<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	for n := 1000; n < 5000; n += 1000 {
		j.Note(Records{Lines: noisyLines("b1", n, n+1000)})
		if err := j.written(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 1 {
		t.Errorf("told %v", told)
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
	if len(told) != 1 {
		t.Errorf("told %v", told)
	}
	verdict := ""
	if err := j.read.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("%s %v", verdict, err)
	}
}
