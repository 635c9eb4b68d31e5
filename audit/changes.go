package audit

import (
	"strings"
	"sync"
	"time"

	"ironworks/models"
)

// Changes knows what was changed of the nodes of a context from here, by the audit: what is
// in its file, and what passes through [Changes.Write].
type Changes struct {
	audit   Writer
	context string
	now     func() time.Time

	mu      sync.Mutex
	pending map[string]Record
	done    map[string][]models.NodeChange
}

// dateResolution is how exactly Ironic's clock is known: its Date header has whole seconds.
const dateResolution = 2 * time.Second

// mostPending bounds the requests that are kept without an end: a console that was killed
// leaves them in the file.
const mostPending = 1000

// ReadChanges reads the audit of a path. What cannot be read is not known: it is an error
// beside what was read. Audit, which may be nil, is where Write passes records on to.
func ReadChanges(path, context string, audit Writer, now func() time.Time) (*Changes, error) {
	c := &Changes{audit: audit, context: context, now: now, pending: map[string]Record{}, done: map[string][]models.NodeChange{}}
	err := eachRecord(path, nil, c.note)
	return c, err
}

// Write passes a record on, and takes note of it.
func (c *Changes) Write(r Record) error {
	if err := c.audit.Write(r); err != nil {
		return err
	}
	c.note(&r)
	return nil
}

// Of gives the changes of a node that Ironic accepted, with times on its clock, which is
// now there; nil are none.
func (c *Changes) Of(uuid string, now time.Time) []models.NodeChange {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.done[uuid]
	if len(known) == 0 {
		return nil
	}
	skew := now.Sub(c.now())
	if skew.Abs() < dateResolution {
		skew = 0
	}
	changes := make([]models.NodeChange, len(known))
	for i, k := range known {
		changes[i] = models.NodeChange{Field: k.Field, At: k.At.Add(skew)}
	}
	return changes
}

func (c *Changes) note(r *Record) {
	fields := changedFields(r.Verb)
	if len(fields) == 0 || r.Context != c.context {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.Result {
	case Sending:
		if len(c.pending) >= mostPending {
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

// changedFields are the fields that a request changes, by what the audit calls it: "set"
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
