package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"ironworks/models"
)

// Read returns the requests of a context about a node, in the order of the file: one record each,
// with the time before sending and the result. The node is selected by its UUID. Truncated lines
// are skipped; a missing file has none.
func Read(path, context string, node models.NodeRef) (records []Record, err error) {
	place := map[string]int{}
	err = eachRecord(path, []byte(node.UUID), func(r *Record) {
		if r.Context != context || r.Node.UUID != node.UUID {
			return
		}
		if i, begun := place[r.ID]; begun {
			r.Time = records[i].Time
			records[i] = *r
			return
		}
		place[r.ID] = len(records)
		records = append(records, *r)
	})
	return records, err
}

// Unfinished returns the records of a verb in a context whose result was never written, in the order of the file.
func Unfinished(path, context, verb string) (records []Record, err error) {
	err = eachRecord(path, []byte(verb), func(r *Record) {
		if r.Context != context || r.Verb != verb {
			return
		}
		records = slices.DeleteFunc(records, func(begun Record) bool { return begun.ID == r.ID })
		if r.Result == Sending {
			records = append(records, *r)
		}
	})
	return records, err
}

// eachRecord calls yield with the records of the lines that contain a text.
func eachRecord(path string, having []byte, yield func(r *Record)) error {
	file, err := os.Open(path) //nolint:gosec // the user's own configured path
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the audit log: %w", err)
	}
	defer func() { _ = file.Close() }()
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadBytes('\n')
		var r Record
		if bytes.Contains(line, having) && json.Unmarshal(line, &r) == nil {
			yield(&r)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read the audit log: %w", err)
		}
	}
}
