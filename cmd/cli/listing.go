package cli

import (
	"strings"

	"ironworks/models/filter"
	"ironworks/session"
)

// ListFlags select the columns and the order of a node list.
type ListFlags struct {
	Columns []string
	Sort    string
	Watch   bool
}

// Listing returns the listing and the filter that the flags select. The context supplies the defaults for missing
// flags.
func (a *App) Listing(s *session.Session, flags ListFlags, filter string) (session.Listing, string, error) {
	d := s.Context.Defaults
	switch {
	case len(flags.Columns) > 0:
	case a.Wide:
		flags.Columns = wideColumns
	default:
		flags.Columns = d.Columns
	}
	if flags.Sort == "" {
		flags.Sort = d.Sort
	}
	if filter == "" {
		filter = d.Filter
	}
	l, err := newListing(s.Context.Filters, flags, filter)
	return l, filter, err
}

var wideColumns = []string{"name", "uuid", "state", "age", "step", "power", "class", "driver", "instance", "owner", "maintenance", "error"}

func newListing(saved *filter.Saved, flags ListFlags, filter string) (l session.Listing, err error) {
	if l.Filter, err = ParseNodeFilter(saved, filter); err != nil {
		return l, err
	}
	keys := flags.Columns
	if len(keys) == 0 {
		keys = []string{"name", "state", "step", "power", "class"}
	}
	for _, k := range keys {
		c, err := FindColumn(k)
		if err != nil {
			return l, err
		}
		l.Columns = append(l.Columns, c)
	}
	key, descending := strings.CutPrefix(flags.Sort, "-")
	if key == "" {
		key = "name"
	}
	if l.By, err = FindColumn(key); err != nil {
		return l, err
	}
	l.Descending = descending
	return l, nil
}

// NoNodes returns the sentence that replaces an empty list of nodes.
func NoNodes(filter string) string {
	if filter == "" {
		return "No nodes."
	}
	return "No nodes match " + filter + stateHint(filter) + "."
}
