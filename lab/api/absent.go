package api

import (
	"cmp"
	"net/http"
	"slices"

	"ironworks/lab/db"
)

// absentCollection describes a collection that is always empty in the embedded Ironic. It can be
// listed; requests to add to it are unknown routes.
type absentCollection struct {
	name string
	// since is the minor version that introduced it; unknown reports that older versions answer
	// with an unknown route instead of an unserved version.
	since   int
	unknown bool
	// check validates the name of an entry.
	check func(ident string) error
	// missing returns the error for an entry.
	missing func(ident string) error
}

func anyName(string) error { return nil }

func missingEntry(kind, format string) func(string) error {
	return func(ident string) error { return db.Faultf(http.StatusNotFound, kind, format, ident) }
}

// absentCollections are those in the root document.
var absentCollections = []absentCollection{
	{
		name: "runbooks", since: 92, unknown: true, check: anyName,
		missing: missingEntry("RunbookNotFound", "Runbook %s could not be found."),
	},
}

func findAbsent(all []absentCollection, name string) (absentCollection, bool) {
	at := slices.IndexFunc(all, func(a absentCollection) bool { return a.name == name })
	if at < 0 {
		return absentCollection{}, false
	}
	return all[at], true
}

// routeAbsent handles an always empty collection; ok is false if the name is that of another one.
func (c *call) routeAbsent(name string, rest []string) (answer any, ok bool, err error) {
	if name == "events" {
		// POST would report network changes, which the lab does not have.
		if c.request.Method == http.MethodPost {
			return nil, true, errNoRoute
		}
		return nil, true, notAllowed(http.MethodPost)
	}
	found, ok := findAbsent(absentCollections, name)
	switch {
	case !ok:
		return nil, false, nil
	case !c.atLeast(found.since) && found.unknown:
		return nil, true, errNoRoute
	case !c.atLeast(found.since):
		return nil, true, notServed(http.StatusNotFound, notSupported)
	}
	answer, err = c.serveAbsent(found, rest)
	return answer, true, err
}

func (c *call) serveAbsent(a absentCollection, rest []string) (any, error) {
	isList := len(rest) == 0
	switch {
	case c.request.Method == http.MethodGet && isList:
		return c.listAbsent(a)
	case c.request.Method == http.MethodGet,
		!isList && slices.Contains([]string{http.MethodDelete, http.MethodPatch}, c.request.Method):
		return nil, cmp.Or(a.check(rest[0]), a.missing(rest[0]))
	case slices.Contains([]string{http.MethodPost, http.MethodPatch, http.MethodDelete}, c.request.Method):
		return nil, errNoRoute
	default:
		return nil, notAllowed(http.MethodDelete, http.MethodGet, http.MethodPatch, http.MethodPost)
	}
}

// listAbsent returns an empty list, after the checks of Ironic.
func (c *call) listAbsent(a absentCollection) (any, error) {
	args, err := c.checkArguments(append(slices.Clone(pagingParams), optional("fields", checkList), optional("detail", checkBool))...)
	if err != nil {
		return nil, err
	}
	if _, err := parsePaging(args); err != nil {
		return nil, err
	}
	return map[string]any{a.name: []any{}}, nil
}

// vendorPassthru handles vendor methods, of which the lab's drivers have none. check validates
// what they would belong to.
func (c *call) vendorPassthru(rest []string, check func() error) (any, error) {
	if len(rest) == 0 {
		return c.missing("method")()
	}
	if rest[0] != "methods" || c.request.Method != http.MethodGet {
		return nil, errNoRoute
	}
	if err := check(); err != nil {
		return nil, err
	}
	return map[string]any{}, nil
}
