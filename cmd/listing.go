package cmd

import (
	"strings"

	"ironworks/models"
	"ironworks/session"
)

// listFlags select the columns and the order of a node list.
type listFlags struct {
	columns []string
	sort    string
	watch   bool
}

// listing returns the listing and the filter of the flags. Missing flags have the defaults of the context.
func (a *app) listing(s *session.Session, flags listFlags, filter string) (session.Listing, string, error) {
	d := s.Context.Defaults
	switch {
	case len(flags.columns) > 0:
	case a.wide:
		flags.columns = wideColumns
	default:
		flags.columns = d.Columns
	}
	if flags.sort == "" {
		flags.sort = d.Sort
	}
	if filter == "" {
		filter = d.Filter
	}
	l, err := newListing(s.Context.Filters, flags, filter)
	return l, filter, err
}

// wideColumns are the columns of -o wide.
var wideColumns = []string{"name", "uuid", "state", "age", "step", "power", "class", "driver", "instance", "owner", "maintenance", "error"}

func newListing(saved *models.SavedFilters, flags listFlags, filter string) (l session.Listing, err error) {
	if l.Filter, err = parseNodeFilter(saved, filter); err != nil {
		return l, err
	}
	keys := flags.columns
	if len(keys) == 0 {
		keys = []string{"name", "state", "step", "power", "class"}
	}
	for _, k := range keys {
		c, err := findColumn(k)
		if err != nil {
			return l, err
		}
		l.Columns = append(l.Columns, c)
	}
	key, descending := strings.CutPrefix(flags.sort, "-")
	if key == "" {
		key = "name"
	}
	if l.By, err = findColumn(key); err != nil {
		return l, err
	}
	l.Descending = descending
	return l, nil
}

func noNodes(filter string) string {
	if filter == "" {
		return "No nodes."
	}
	return "No nodes match " + filter + stateHint(filter) + "."
}
