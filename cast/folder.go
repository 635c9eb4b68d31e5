package cast

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Recording writes a recording to files. When a file has reached the size limit, it continues in a new one.
type Recording struct {
	header Header
	path   func(part int) string
	limit  int64
	safe   *Safe
	// lock locks the first file until the recording ends.
	lock *flock.Flock

	mu        sync.Mutex
	onPart    func()
	onFailure func(err error)
	part      int
	file      *os.File
	writer    *Writer
	err       error
}

// These are the size limits of a file and of a folder with recordings, in bytes.
const (
	PartLimit   = 64 << 20
	FolderLimit = 2 << 30
)

// Record starts a recording in a new file that only its owner can read. It contains only what [Safe] lets through, so
// not the clipboard. A new file is started at limit bytes; 0 means no limit.
func Record(path string, h Header, limit int64) (*Recording, error) {
	base, extension := strings.TrimSuffix(path, filepath.Ext(path)), filepath.Ext(path)
	r := &Recording{header: h, limit: limit, safe: NewSafe(), path: func(part int) string {
		if part == 1 {
			return path
		}
		return fmt.Sprintf("%s-%d%s", base, part, extension)
	}}
	if err := r.begin(); err != nil {
		return nil, err
	}
	r.lock = lockOf(path)
	if err := r.lock.Lock(); err != nil { // this may wait, because Abandoned holds the lock for a moment
		return nil, errors.Join(fmt.Errorf("record the terminal: %w", err), r.Close())
	}
	return r, nil
}

func lockOf(path string) *flock.Flock { return flock.New(path, flock.SetFlag(os.O_RDWR)) }

// Abandoned reports whether no process is writing the recording whose first file is path, or the file is missing.
func Abandoned(path string) bool {
	lock := lockOf(path)
	locked, err := lock.TryLock()
	if locked {
		_ = lock.Unlock()
	}
	return locked || errors.Is(err, fs.ErrNotExist)
}

// begin creates the next file. Before each file after the first, it prunes the folder to FolderLimit, because a single
// long session could otherwise fill the disk.
func (r *Recording) begin() error {
	if r.part++; r.part > 1 {
		if err := Prune(filepath.Dir(r.path(r.part)), FolderLimit); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(r.path(r.part), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("record the terminal: %w", err)
	}
	r.header.Began = time.Now()
	writer, err := NewWriter(file, r.header)
	if err != nil {
		_ = file.Close()
		return fmt.Errorf("record the terminal: %w", err)
	}
	if r.file != nil {
		_ = r.file.Close()
	}
	r.file, r.writer = file, writer
	return nil
}

// OnPart sets a function that is called when the recording continues in a new file. The function should cause the
// whole screen to be drawn again, because the new file does not contain it. It must not block.
func (r *Recording) OnPart(call func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onPart = call
}

// OnFailure sets a function that is called once if an error ends the recording early. The goroutine that writes to the
// terminal calls it and waits for it.
func (r *Recording) OnFailure(call func(err error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onFailure = call
}

// fail ends the recording if err is not nil. The caller must hold mu.
func (r *Recording) fail(err error) {
	if r.err = err; err != nil && r.onFailure != nil {
		r.onFailure(err)
	}
}

// Write records output. It never returns an error. If the recording cannot be written, it ends, and Close
// returns the reason.
func (r *Recording) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return len(p), nil
	}
	if r.limit > 0 && r.writer.Size() > r.limit {
		if r.fail(r.begin()); r.err == nil && r.onPart != nil {
			r.onPart()
		}
	}
	if text := r.safe.Filter(string(p)); r.err == nil && text != "" {
		_, err := r.writer.Write([]byte(text))
		r.fail(err)
	}
	return len(p), nil
}

// Resize records a new size of the terminal.
func (r *Recording) Resize(width, height int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.header.Width, r.header.Height = width, height
		r.fail(r.writer.Resize(width, height))
	}
}

// Close ends the recording. It returns the error that ended it earlier, if any.
func (r *Recording) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := errors.Join(r.file.Close(), r.lock.Unlock())
	if r.err != nil {
		return r.err
	}
	return err
}

// Prune removes the oldest recordings of a folder until the remaining ones have at most limit bytes in total. It keeps
// the first file of a recording that is still being written, which is locked.
func Prune(folder string, limit int64) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("prune recordings: %w", err)
	}
	type found struct {
		path string
		size int64
		at   time.Time
	}
	var files []found
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || filepath.Ext(e.Name()) != ".cast" {
			continue
		}
		files = append(files, found{filepath.Join(folder, e.Name()), info.Size(), info.ModTime()})
		total += info.Size()
	}
	slices.SortFunc(files, func(a, b found) int { return a.at.Compare(b.at) })
	for _, f := range files {
		if total <= limit {
			return nil
		}
		if !Abandoned(f.path) {
			continue
		}
		if err := os.Remove(f.path); err != nil {
			return fmt.Errorf("prune recordings: %w", err)
		}
		total -= f.size
	}
	return nil
}
