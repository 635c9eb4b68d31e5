package db

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"ironworks/atomicfile"
)

// detailsName is the name of the folder with the nodes' details.
const detailsName = "details"

// settleTime is the time for which changes are collected before they are written to disk.
const settleTime = time.Second

// disk writes a store to a folder. Each table has a subfolder with one file for each row. The file is named after the
// row's UUID.
type disk struct {
	folder  string
	dirty   map[string]bool // UUIDs of nodes whose details differ from the files; guarded by Store.mu
	changes chan struct{}   // has room for one signal, sent when a row becomes dirty
	stop    context.CancelFunc
	done    chan struct{}

	writing sync.Mutex // one flush at a time
}

// Open returns a store that keeps its data in a folder. The folder is created if it is missing; existing data is
// loaded. A file that cannot be read is left unchanged and causes an error that names it. Changes are written after a
// short delay, and at the latest by [Store.Close].
func Open(ctx context.Context, folder string, now func() time.Time) (*Store, error) {
	s := New(now)
	if err := s.load(folder); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	s.disk = &disk{
		folder: folder, dirty: map[string]bool{}, changes: make(chan struct{}, 1), stop: stop,
		done: make(chan struct{}),
	}
	for _, t := range s.tables() {
		t.trackChanges()
	}
	go s.disk.run(ctx, s)
	return s, nil
}

// Close writes pending changes. It does nothing for an in-memory store.
func (s *Store) Close() error {
	if s.disk == nil {
		return nil
	}
	s.disk.stop()
	<-s.disk.done
	return s.Flush()
}

// Flush writes pending changes now. It does nothing for an in-memory store.
func (s *Store) Flush() error {
	if s.disk == nil {
		return nil
	}
	return s.disk.flush(s)
}

func (s *Store) changed() {
	if s.disk == nil {
		return
	}
	select {
	case s.disk.changes <- struct{}{}:
	default: // already signaled
	}
}

func (s *Store) detailsChanged(node string) {
	if s.disk != nil {
		s.disk.dirty[node] = true
	}
}

// run writes changes until ctx is done. Rows that could not be written stay dirty. The next change or Close writes
// them again. If that fails in Close, Close returns the error.
func (d *disk) run(ctx context.Context, s *Store) {
	defer close(d.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.changes:
		}
		timer := time.NewTimer(settleTime)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		_ = d.flush(s)
	}
}

// file is a pending write of a file: its path and its new content. If the content is nil, the file is removed.
type file struct {
	path      string
	content   any
	markDirty func() // marks the row as dirty again, with Store.mu held
}

func (d *disk) flush(s *Store) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	s.mu.Lock()
	var files []file
	for _, t := range s.tables() {
		files = append(files, t.gather(d.folder)...)
	}
	for node := range d.dirty {
		f := file{path: filepath.Join(d.folder, detailsName, node+".json"), markDirty: func() { d.dirty[node] = true }}
		if now := s.details[node]; now != nil {
			f.content = details{
				History: cloneAll(now.History), Inventory: now.Inventory, BIOS: now.BIOS, Firmware: now.Firmware,
			}
		}
		files = append(files, f)
	}
	clear(d.dirty)
	s.mu.Unlock()

	var errs []error
	for _, f := range files {
		if err := f.write(); err != nil {
			errs = append(errs, err)
			s.mu.Lock()
			f.markDirty()
			s.mu.Unlock()
		}
	}
	return errors.Join(errs...)
}

// trackChanges makes the table record which rows differ from their files.
func (t *Table[T]) trackChanges() { t.dirty = map[string]bool{} }

// gather returns the pending writes of a table's dirty rows, and marks the rows as clean. Rows never change, so they
// can be written without the lock.
func (t *Table[T]) gather(folder string) []file {
	files := make([]file, 0, len(t.dirty))
	for uuid := range t.dirty {
		f := file{path: filepath.Join(folder, t.name, fileName(uuid)+".json"), markDirty: func() { t.dirty[uuid] = true }}
		if r, ok := t.rows[uuid]; ok {
			f.content = r
		}
		files = append(files, f)
	}
	clear(t.dirty)
	return files
}

var plainName = regexp.MustCompile(`^[0-9A-Za-z{}:_-]{1,64}$`)

// fileName returns the name of a row's file, without the extension. It is the row's UUID, or a hash if that is not a
// valid UUID. Ironic accepts any string as the UUID of an allocation or an inspection rule, but such a string must
// not become part of a path.
func fileName(rowUUID string) string {
	if plainName.MatchString(rowUUID) {
		return rowUUID
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(rowUUID)).String()
}

func (f file) write() error {
	if f.content == nil {
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing from the lab's state: %w", err)
		}
		return nil
	}
	content, err := json.Marshal(f.content)
	if err != nil {
		// NaN and infinities exist only in Python's variant of JSON.
		content, err = json.Marshal(withoutNaN(f.content))
	}
	if err != nil {
		return fmt.Errorf("encoding %s: %w", f.path, err)
	}
	if err := atomicfile.Replace(f.path, append(content, '\n')); err != nil {
		return fmt.Errorf("writing the lab's state: %w", err)
	}
	return nil
}

// readFolder calls add for each file of a table. The arguments of add are the file's name without the extension, and
// its content. readFolder skips files whose names start with a dot, because they were left by an interrupted write.
func readFolder(folder, name string, add func(file string, content []byte) error) error {
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("making the folder of the lab's state: %w", err)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("reading the lab's state: %w", err)
	}
	for _, entry := range entries {
		file, isJSON := strings.CutSuffix(entry.Name(), ".json")
		if !isJSON || strings.HasPrefix(file, ".") {
			continue
		}
		at := filepath.Join(path, entry.Name())
		content, err := os.ReadFile(at) //nolint:gosec // the folder is the user's own
		if err != nil {
			return fmt.Errorf("reading the lab's state: %w", err)
		}
		if err := add(file, content); err != nil {
			return fmt.Errorf("the lab's state is broken in %s (it was left as it is): %w", at, err)
		}
	}
	return nil
}

func decode(content []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// load reads a folder into an empty store.
func (s *Store) load(folder string) error {
	hasNode := func(uuid string) bool { return s.Nodes.rows[uuid] != nil }
	for _, t := range s.tables() {
		if err := t.load(folder, hasNode); err != nil {
			return err
		}
	}
	return readFolder(folder, detailsName, func(uuid string, content []byte) error {
		d := &details{}
		if err := decode(content, d); err != nil {
			return err
		}
		if hasNode(uuid) {
			s.details[uuid] = d
		}
		for _, entry := range d.History {
			s.historyID = max(s.historyID, entry.ID+1)
		}
		return nil
	})
}

// load reads the files of the table. It ignores the rows of a missing node, because an interrupted removal left them.
func (t *Table[T]) load(folder string, hasNode func(uuid string) bool) error {
	var rows []*T
	err := readFolder(folder, t.name, func(name string, content []byte) error {
		r := new(T)
		if err := decode(content, r); err != nil {
			return err
		}
		if own := *t.meta(r).uuid; fileName(own) != name {
			return fmt.Errorf("it holds %q", own)
		}
		rows = append(rows, r)
		return nil
	})
	if err != nil {
		return err
	}
	// Insert the rows in the order of their creation, because the highest ID determines the next one.
	slices.SortFunc(rows, func(a, b *T) int {
		return *t.meta(a).id - *t.meta(b).id
	})
	for _, r := range rows {
		if t.node != nil && t.node(r) != "" && !hasNode(t.node(r)) {
			continue
		}
		if err := t.insert(r); err != nil {
			return fmt.Errorf("the lab's state contradicts itself: %w", err)
		}
	}
	return nil
}
