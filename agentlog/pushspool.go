package agentlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"ironworks/models"
)

// spool stores a node's lines on disk, so that the receiver still has them, and their position in the journal, after
// a restart. Each batch is stored completely or not at all. Secrets in the lines are already masked.
type spool struct {
	path string
	size int64
	most int64
}

// record is one line of a spool file. It contains either a log line or the end of a batch.
type record struct {
	Line *models.LogLine `json:"line,omitempty"`
	// Boot and Cursor are set at the end of a batch. They are the position up to which the journal was accepted.
	Boot   string `json:"boot,omitempty"`
	Cursor string `json:"cursor,omitempty"`
	// State is the state of the parser after the lines of the batch.
	State string `json:"state,omitempty"`
}

type journalPosition struct{ boot, cursor, state string }

const spoolOld = ".1"

func spoolPath(dir, node string) string {
	return filepath.Join(dir, "spool", url.PathEscape(node)+".jsonl")
}

// load reads the stored lines and returns the position after them. Data that follows the last complete batch is still
// being written, or was left by a process that was killed. If writes is true, load removes it.
func (s *spool) load(writes bool, yield func(models.LogLine)) (journalPosition, error) {
	var at journalPosition
	for _, path := range []string{s.path + spoolOld, s.path} {
		whole, found, err := readSpool(path, yield)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return at, fmt.Errorf("reading %s: %w", path, err)
		}
		if found != (journalPosition{}) {
			at = found
		}
		if path != s.path {
			continue
		}
		if s.size = whole; !writes {
			continue
		}
		if err := os.Truncate(path, whole); err != nil {
			return at, fmt.Errorf("truncating %s: %w", path, err)
		}
	}
	return at, nil
}

// readSpool reads the lines of complete batches. It returns their total size and the position after the last one.
func readSpool(path string, yield func(models.LogLine)) (whole int64, at journalPosition, err error) {
	file, err := os.Open(path) //nolint:gosec // our own folder
	if err != nil {
		return 0, at, err
	}
	defer func() { _ = file.Close() }()
	reader := bufio.NewReaderSize(file, 1<<16)
	var batch []models.LogLine
	for offset := int64(0); ; {
		text, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return whole, at, nil
		}
		if err != nil {
			return whole, at, err
		}
		offset += int64(len(text))
		var r record
		if json.Unmarshal(text, &r) != nil {
			batch = nil // not a record of a spool: drop the incomplete batch
			continue
		}
		if r.Line != nil {
			batch = append(batch, *r.Line)
			continue
		}
		for _, line := range batch {
			yield(line)
		}
		batch, whole, at = nil, offset, journalPosition{boot: r.Boot, cursor: r.Cursor, state: r.State}
	}
}

// changed reports whether another process has written to the file.
func (s *spool) changed() bool {
	info, err := os.Stat(s.path)
	return err == nil && info.Size() != s.size
}

// add stores a batch. A failed write leaves nothing behind.
func (s *spool) add(lines []models.LogLine, at journalPosition) error {
	var content bytes.Buffer
	encoder := json.NewEncoder(&content)
	encoder.SetEscapeHTML(false)
	for i := range lines {
		if err := encoder.Encode(record{Line: &lines[i]}); err != nil {
			return fmt.Errorf("store log lines: %w", err)
		}
	}
	if err := encoder.Encode(record{Boot: at.boot, Cursor: at.cursor, State: at.state}); err != nil {
		return fmt.Errorf("store log lines: %w", err)
	}
	if s.size > 0 && s.size+int64(content.Len()) > s.most/2 {
		if err := os.Rename(s.path, s.path+spoolOld); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("store log lines: %w", err)
		}
		s.size = 0
	}
	file, err := os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("store log lines: %w", err)
	}
	if info, err := file.Stat(); err == nil {
		s.size = min(s.size, info.Size()) // pruning may have removed the file
	}
	if _, err = file.WriteAt(content.Bytes(), s.size); err == nil {
		s.size += int64(content.Len())
	} else {
		_ = file.Truncate(s.size)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("store log lines: %w", err)
	}
	return nil
}

// pruneSpools removes the oldest files in the folder until the others have at most the given number of bytes.
func pruneSpools(dir string, most int64) {
	folder := filepath.Join(dir, "spool")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	total := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
			total += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, file := range files {
		if total <= most {
			return
		}
		if os.Remove(filepath.Join(folder, file.Name())) == nil {
			total -= file.Size()
		}
	}
}
