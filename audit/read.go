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

// Read returns the requests that concern the node in the given context, in the order of the file. Only the UUID of
// node is used. Each request has one record, with the time before the request was sent and the latest result.
// Truncated lines are skipped. If the file does not exist, there are no requests.
func Read(path, context string, node models.NodeRef) (records []Record, err error) {
	return requests(path, []byte(node.UUID), func(r *Record) bool { return r.Context == context && r.Node.UUID == node.UUID })
}

// Unfinished returns the requests with the given context and verb that have no result in the file. Each record has
// the same form as in [Read].
func Unfinished(path, context, verb string) (records []Record, err error) {
	records, err = requests(path, []byte(verb), func(r *Record) bool { return r.Context == context && r.Verb == verb })
	return slices.DeleteFunc(records, func(r Record) bool { return r.Result != Sending }), err
}

// requests returns one record for each request that the wanted function selects. As an optimization, it parses only
// the lines that contain the bytes in having.
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

// eachRecord calls the yield function for each record in the file. If having is not empty, it skips all lines that do
// not contain these bytes.
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
