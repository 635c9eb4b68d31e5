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
	return requests(path, []byte(node.UUID), func(r *Record) bool { return r.Context == context && r.Node.UUID == node.UUID })
}

// Unfinished returns the requests of a verb in a context whose result was never written, as [Read] does.
func Unfinished(path, context, verb string) (records []Record, err error) {
	records, err = requests(path, []byte(verb), func(r *Record) bool { return r.Context == context && r.Verb == verb })
	return slices.DeleteFunc(records, func(r Record) bool { return r.Result != Sending }), err
}

// requests returns one record for each request that is wanted, from the lines that contain a text.
func requests(path string, having []byte, wanted func(r *Record) bool) (records []Record, err error) {
	place := map[string]int{}
	err = eachRecord(path, having, func(r *Record) {
		if !wanted(r) {
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
