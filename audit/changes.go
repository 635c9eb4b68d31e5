package audit

import (
	"strings"
	"sync"
	"time"

	"ironworks/models"
)

// Changes holds the changes that this console has made to the nodes of a context. They come from the audit file and
// from calls to [Changes.Write].
type Changes struct {
	audit   Writer
	context string

	mu      sync.Mutex
	pending map[string]Record
	done    map[string][]models.NodeChange
}

// dateResolution is the difference below which two clocks are considered equal, because Ironic's Date header contains
// only whole seconds.
const dateResolution = 2 * time.Second

// maxPending is the maximum number of requests without a result that are remembered. A console that was killed leaves
// such requests in the file.
const maxPending = 1000

// ReadChanges reads the changes in the given context from the audit file at path. If it cannot read the whole file,
// it returns the changes read so far and an error. Write forwards records to audit, which may be nil if Write is not
// called.
func ReadChanges(path, context string, audit Writer) (*Changes, error) {
	c := &Changes{audit: audit, context: context, pending: map[string]Record{}, done: map[string][]models.NodeChange{}}
	err := eachRecord(path, nil, c.remember)
	return c, err
}

// Write forwards a record to the audit file and remembers the change that it describes.
func (c *Changes) Write(r Record) error {
	if err := c.audit.Write(r); err != nil {
		return err
	}
	c.remember(&r)
	return nil
}

// ForNode returns the changes of the given node that Ironic accepted, or nil if there are none. The now argument is
// the current time of Ironic's clock. The times of the changes are converted to that clock.
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

// changedFields returns the fields that a request with the given verb changes. In the audit file, the verb of a JSON
// patch is "set" followed by the paths.
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
