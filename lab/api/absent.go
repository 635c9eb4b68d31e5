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
	// others are additional parameters of a list.
	others []param
	// check validates the name of an entry.
	check func(ident string) error
	// missing returns the error for an entry.
	missing func(ident string) error
}

// uuidOf checks that an entry is named by its UUID.
func uuidOf(name string) func(string) error {
	return func(ident string) error {
		_, err := checkUUID(name, ident)
		return err
	}
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

// absentVolumes are those below volume.
var absentVolumes = []absentCollection{
	{
		name: "connectors", others: []param{optional("node", checkIdent)}, check: uuidOf("connector_uuid"),
		missing: missingEntry("VolumeConnectorNotFound", "Volume connector %s could not be found."),
	},
	{
		name: "targets", others: []param{optional("node", checkIdent)}, check: uuidOf("target_uuid"),
		missing: missingEntry("VolumeTargetNotFound", "Volume target %s could not be found."),
	},
}

func findAbsent(all []absentCollection, name string) (absentCollection, bool) {
	at := slices.IndexFunc(all, func(a absentCollection) bool { return a.name == name })
	if at < 0 {
		return absentCollection{}, false
	}
	return all[at], true
}

// volumeVersion is the minor version that introduced volumes.
const volumeVersion = 32

// routeAbsent handles an always empty collection; ok is false if the name is that of another one.
func (c *call) routeAbsent(name string, rest []string) (answer any, ok bool, err error) {
	if name == "events" {
		// POST would report network changes, which the lab does not have.
		if c.request.Method == http.MethodPost {
			return nil, true, errNoRoute
		}
		return nil, true, notAllowed(http.MethodPost)
	}
	if name == "volume" {
		if !c.atLeast(volumeVersion) {
			return nil, true, notServed(http.StatusNotFound, notSupported)
		}
		answer, err = c.showVolume("volume", rest)
		return answer, true, err
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
	params := slices.Concat(pagingParams, []param{optional("fields", checkList), optional("detail", checkBool)}, a.others)
	args, err := c.checkArguments(params...)
	if err != nil {
		return nil, err
	}
	if _, err := parsePaging(args); err != nil {
		return nil, err
	}
	if a.others != nil && args.isTrue("detail") && args.list("fields") != nil {
		return nil, invalid("Can't fetch a subset of fields with 'detail' set")
	}
	if node := args.text("node"); node != "" {
		if _, err := c.findNode(node); err != nil {
			return nil, err
		}
	}
	return map[string]any{a.name: []any{}}, nil
}

// showVolume is the volume document, also below a node: empty.
func (c *call) showVolume(path string, rest []string) (any, error) {
	if len(rest) == 0 {
		if c.request.Method != http.MethodGet {
			return nil, errNoRoute
		}
		return inOrder("volume", map[string]any{
			"links": c.links(path + "/"), "connectors": c.links(path + "/connectors"), "targets": c.links(path + "/targets"),
		}), nil
	}
	if found, ok := findAbsent(absentVolumes, rest[0]); ok {
		return c.serveAbsent(found, rest[1:])
	}
	if c.request.Method == http.MethodGet {
		return nil, pythonError("VolumeController.get() takes 1 positional argument but %d were given", len(rest)+1)
	}
	return nil, errNoRoute
}

// nodeVolume is volume below a node.
func (c *call) nodeVolume(ident string, below []string) (any, error) {
	if len(below) > 0 {
		if _, err := c.findNode(ident); err != nil {
			return nil, err
		}
	}
	return c.showVolume("nodes/"+ident+"/volume", below)
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
