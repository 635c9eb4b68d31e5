package cast

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestRecordingOnAFullDisk checks that a full disk ends the recording but not the output to the terminal, and that
// Err and OnFailure report the reason.
func TestRecordingOnAFullDisk(t *testing.T) {
	t.Parallel()
	r, err := Record(filepath.Join(t.TempDir(), "full.cast"), Header{Version: 2, Width: 80, Height: 24}, 0)
	if err != nil {
		t.Fatal(err)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = full.Close() }()
	r.writer.out = full
	var failures []error
	r.OnFailure(func(err error) { failures = append(failures, err) })
	for range 3 {
		if n, err := r.Write([]byte("picture")); n != len("picture") || err != nil {
			t.Errorf("the terminal is held up: %d, %v", n, err)
		}
		r.Resize(100, 30)
	}
	if len(failures) != 1 || !errors.Is(failures[0], syscall.ENOSPC) {
		t.Errorf("told %v", failures)
	}
	if err := r.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("closed with %v", err)
	}
}
