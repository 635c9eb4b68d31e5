package api

import (
	"net/http"
	"slices"

	"ironworks/lab/db"
)

// maxEvent is the maximum length, in characters, of an event in a list without details.
const maxEvent = 255

func (c *call) routeHistory(ident string, rest []string) (any, error) {
	if len(rest) == 0 {
		return methods{http.MethodGet: c.showHistory(ident)}.serve(c)
	}
	return methods{http.MethodGet: c.showHistoryEntry(ident, rest[0])}.serve(c, rest[1:]...)
}

func (c *call) historyDocument(entry *db.History, detail bool) map[string]any {
	event := entry.Event
	if runes := []rune(event); !detail && len(runes) > maxEvent {
		event = string(runes[:251]) + "..."
	}
	shown := []string{"uuid", "created_at", "severity"}
	if detail {
		shown = append(shown, "event_type", "conductor", "user")
	}
	if detail && c.atLeast(113) {
		shown = append(shown, "project")
	}
	if detail && c.atLeast(115) {
		shown = append(shown, "state", "target_provision_state")
	}
	document := historyColumns.pick(entry, shown, shown)
	document["event"] = event
	document["links"] = []link{{Href: c.url + "/v1/nodes/" + entry.NodeUUID + "/history/" + entry.UUID, Rel: "self"}}
	if detail && c.atLeast(115) {
		document["duration_seconds"] = valueOrNull(entry.Duration)
	}
	return document
}

// sortableHistory lists the columns by which history entries can be sorted.
var sortableHistory = []string{"id", "uuid", "created_at", "severity", "event", "event_type", "conductor", "user"}

func (c *call) showHistory(ident string) endpoint {
	return c.onNode(ident, 0, func(node *db.Node, args arguments) (any, error) {
		rows := pointers(c.tables().History(node.UUID))
		detail, fields := args.isTrue("detail"), []string{"uuid", "created_at", "severity", "event"}
		if detail {
			fields = []string{
				"uuid", "created_at", "severity", "event_type", "event", "conductor", "user", "project", "state",
				"target_provision_state", "duration_seconds",
			}
		}
		// If the request had a marker, a real Ironic adds a second marker to the next link. This second marker is the
		// representation of a Python object.
		return listing[db.History]{
			collection: collection[db.History]{
				call: c, name: "history", path: "nodes/" + ident + "/history", columns: historyColumns,
				render: func(h *db.History, _ []string) (map[string]any, error) { return c.historyDocument(h, detail), nil },
			},
			marked:   func(uuid string) (*db.History, error) { return findHistory(rows, uuid) },
			rows:     func(arguments, *paging) ([]*db.History, error) { return rows, nil },
			sortable: func(key string) bool { return slices.Contains(sortableHistory, key) },
		}.page(args, fields)
	}, append([]param{optional("detail", checkBool)}, pagingParams...)...)
}

func findHistory(rows []*db.History, uuid string) (*db.History, error) {
	if at := slices.IndexFunc(rows, func(h *db.History) bool { return h.UUID == uuid }); at >= 0 {
		return rows[at], nil
	}
	return nil, db.Faultf(http.StatusNotFound, "NodeHistoryNotFound", "Node history record %s could not be found.", uuid)
}

func (c *call) showHistoryEntry(ident, uuid string) endpoint {
	return c.onNode(ident, 0, func(node *db.Node, _ arguments) (any, error) {
		entry, err := findHistory(pointers(c.tables().History(node.UUID)), uuid)
		if err != nil {
			return nil, err
		}
		return c.historyDocument(entry, true), nil
	}, fromPath("event", uuid, checkIdent))
}
