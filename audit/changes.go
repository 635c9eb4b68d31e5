package audit

import (
	"strings"
	"sync"
	"time"

	"ironworks/models"
)

// Changes has the changes of a context's nodes from this console: from its audit file, and from [Changes.Write].
type Changes struct {
	audit   Writer
	context string

	mu      sync.Mutex
	pending map[string]Record
	done    map[string][]models.NodeChange
}

// dateResolution is the accuracy of Ironic's clock: its Date header has whole seconds.
const dateResolution = 2 * time.Second

// maxPending bounds the requests without a result: a console that was killed leaves them in the
// file.
const maxPending = 1000

// ReadChanges reads an audit file. If it cannot be read completely, the error is returned with the records that were
// read. audit, which may be nil, receives the records that Write forwards.
func ReadChanges(path, context string, audit Writer) (*Changes, error) {
	c := &Changes{audit: audit, context: context, pending: map[string]Record{}, done: map[string][]models.NodeChange{}}
	err := eachRecord(path, nil, c.remember)
	return c, err
}

// Write forwards a record, and stores the change.
func (c *Changes) Write(r Record) error {
	if err := c.audit.Write(r); err != nil {
		return err
	}
	c.remember(&r)
	return nil
}

// ForNode returns the changes of a node that Ironic accepted, with times on Ironic's clock, whose current time is now;
// nil if there are none.
func (c *Changes) ForNode(uuid string, now time.Time) []models.NodeChange {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.done[uuid]
	if len(known) == 0 {
		return nil
	}
	skew := time.Until(now)
	if skew.Abs() < dateResolution {
		skew = 0
	}
	changes := make([]models.NodeChange, len(known))
	for i, k := range known {
		changes[i] = models.NodeChange{Field: k.Field, At: k.At.Add(skew)}
	}
	return changes
}

func (c *Changes) remember(r *Record) {
	fields := changedFields(r.Verb)
	if len(fields) == 0 || r.Context != c.context {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.Result {
	case Sending:
		if len(c.pending) >= maxPending {
			clear(c.pending)
		}
		c.pending[r.ID] = *r
	case Accepted:
		at := r.Time
		if sent, there := c.pending[r.ID]; there {
			at = sent.Time
		}
		delete(c.pending, r.ID)
		for _, f := range fields {
			c.done[r.Node.UUID] = append(c.done[r.Node.UUID], models.NodeChange{Field: f, At: at})
		}
	case Refused, Unknown:
		delete(c.pending, r.ID)
	}
}

// changedFields returns the fields that a request changes, by its verb in the audit file: "set"
// with the paths of a JSON patch.
func changedFields(verb string) []string {
	switch verb {
	case "reserve instance_uuid":
		return []string{models.ChangeReserved}
	case "give back /instance_uuid":
		return []string{models.ChangeReleased}
	}
	paths, is := strings.CutPrefix(verb, "set ")
	if !is {
		return nil
	}
	var fields []string
	for path := range strings.FieldsSeq(paths) {
		if name, is := strings.CutPrefix(path, "/"); is {
			fields = append(fields, strings.ReplaceAll(name, "/", "."))
		}
	}
	return fields
}
