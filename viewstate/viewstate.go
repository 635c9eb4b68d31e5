// Package viewstate stores how the operator has arranged the console: order, filter, marks and open node. Each
// context has a separate file. A reader sees either a complete file or none. If several consoles write the same file,
// the last one wins.
package viewstate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"ironworks/atomicfile"
	"ironworks/printable"
)

// State is the arrangement of one context's screens. The zero State leaves the screens as configured.
type State struct {
	// Sort is the key of the fleet's sort column, after a dash if the order is descending. Filter is the fleet's
	// filter, as typed. If either is nil, the configured value applies.
	Sort   *string `json:"sort,omitempty"`
	Filter *string `json:"filter,omitempty"`
	// Wide shows all columns.
	Wide bool `json:"wide,omitempty"`
	// NoPreview hides the preview of the node at the cursor.
	NoPreview bool `json:"no_preview,omitempty"`
	// Group is the key of the column by which the fleet is grouped, or "" for none. Folded lists the folded groups.
	Group  string   `json:"group,omitempty"`
	Folded []string `json:"folded,omitempty"`
	// Marks lists the UUIDs of the marked nodes, the oldest mark first.
	Marks []string `json:"marks,omitempty"`
	// Node is the UUID of the node whose screen is open, and Tab is the action that shows the open tab. Either is ""
	// for none.
	Node string `json:"node,omitempty"`
	Tab  string `json:"tab,omitempty"`
	// Entered holds earlier inputs of forms, oldest first. Its keys are those of the form fields.
	Entered map[string][]string `json:"entered,omitempty"`
}

const (
	// maxSize is the maximum size of the file, in bytes.
	maxSize = 4 << 20
	// maxMarks is the maximum number of stored marks, which take about 2 MB. The oldest ones are dropped.
	maxMarks = 50_000
)

// File is the stored state of a context. It is safe for concurrent use; a nil File stores nothing.
type File struct {
	path string

	mu     sync.Mutex
	number int
}

// Open returns the file at path, which need not exist, or nil if path is empty.
func Open(path string) *File {
	if path == "" {
		return nil
	}
	return &File{path: path}
}

// Load reads the state. It returns the zero State if there is no file, and an error if the file is not a State.
func (f *File) Load() (State, error) {
	if f == nil {
		return State{}, nil
	}
	s, err := read(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return State{}, nil
	case err != nil:
		return State{}, fmt.Errorf("view %s ignored: %w", f.path, err)
	}
	return s, nil
}

func read(path string) (s State, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return s, unwrapped(err)
	case !info.Mode().IsRegular(): // opening a pipe would block
		return s, errors.New("not a regular file")
	case info.Size() > maxSize:
		return s, fmt.Errorf("%d bytes, at most %d are read", info.Size(), maxSize)
	}
	file, err := os.Open(path) //nolint:gosec // below the program's own folder
	if err != nil {
		return s, unwrapped(err)
	}
	defer file.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(file, maxSize))
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return State{}, err
	}
	return s, nil
}

// unwrapped returns the cause of a file error without the path, because the caller names the path.
func unwrapped(err error) error {
	if path, is := errors.AsType[*fs.PathError](err); is {
		return path.Err
	}
	return err
}

// check returns an error if the state contains text that could control the terminal.
func (s *State) check() error {
	texts := slices.Concat([]string{s.Node, s.Tab, s.Group}, s.Folded, s.Marks)
	for _, entered := range s.Entered {
		texts = append(texts, entered...)
	}
	for _, text := range []*string{s.Sort, s.Filter} {
		if text != nil {
			texts = append(texts, *text)
		}
	}
	for _, text := range texts {
		if printable.Line(text) != text {
			return fmt.Errorf("unprintable text %q", text)
		}
	}
	return nil
}

// Reset removes the file, even if Load would reject it.
func (f *File) Reset() error {
	if f == nil {
		return nil
	}
	if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reset the view: %w", err)
	}
	return nil
}

// Save replaces the file, unless a state with the same or a higher number has already been saved through f. The
// number is needed because concurrent saves may overtake each other.
func (f *File) Save(number int, s State) error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if number <= f.number {
		return nil
	}
	f.number = number
	s.Marks = s.Marks[max(len(s.Marks)-maxMarks, 0):]
	if s.Filter != nil && printable.Line(*s.Filter) != *s.Filter {
		s.Filter = nil // Load would reject a file with it
	}
	data, err := json.Marshal(&s)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(f.path), 0o700)
	}
	if err == nil {
		err = atomicfile.Replace(f.path, data)
	}
	if err != nil {
		return fmt.Errorf("view not saved: %w", err)
	}
	return nil
}
