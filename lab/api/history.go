package api

import (
	"net/http"
	"slices"

	"ironworks/lab/db"
)

// maxEvent is how long an event is in a list without details.
const maxEvent = 255

func (c *call) routeHistory(ident string, rest []string) (any, error) {
	if len(rest) > 1 {
		return nil, notAllowed(http.MethodGet)
	}
	return methods{http.MethodGet: func() (any, error) {
		if len(rest) == 1 {
			return c.showHistoryEntry(ident, rest[0])
		}
		return c.showHistory(ident)
	}}.serve(c)
}

func (c *call) historyDocument(entry db.History, detail bool) map[string]any {
	event := entry.Event
	if runes := []rune(event); !detail && len(runes) > maxEvent {
		event = string(runes[:251]) + "..."
	}
	document := map[string]any{
		"uuid": entry.UUID, "created_at": timeText(entry.CreatedAt), "severity": orNull(entry.Severity), "event": event,
		"links": []link{{Href: c.url + "/v1/nodes/" + entry.NodeUUID + "/history/" + entry.UUID, Rel: "self"}},
	}
	if !detail {
		return document
	}
	document["event_type"], document["conductor"] = orNull(entry.EventType), orNull(entry.Conductor)
	document["user"] = orNull(entry.User)
	if c.atLeast(113) {
		document["project"] = orNull(entry.Project)
	}
	if c.atLeast(115) {
		document["state"] = orNull(entry.State)
		document["target_provision_state"] = orNull(entry.TargetProvisionState)
		document["duration_seconds"] = nil
		if entry.Duration != nil {
			document["duration_seconds"] = *entry.Duration
		}
	}
	return document
}

var historyColumns = map[string]func(*db.History) any{
	"id": func(h *db.History) any { return h.ID }, "uuid": func(h *db.History) any { return h.UUID },
	"created_at": func(h *db.History) any { return timeText(h.CreatedAt) },
	"severity":   func(h *db.History) any { return orNull(h.Severity) },
	"event":      func(h *db.History) any { return orNull(h.Event) },
	"event_type": func(h *db.History) any { return orNull(h.EventType) },
	"conductor":  func(h *db.History) any { return orNull(h.Conductor) },
	"user":       func(h *db.History) any { return orNull(h.User) },
}

func (c *call) showHistory(ident string) (any, error) {
	args, err := c.take(append([]param{optional("detail", checkBool)}, pagingParams...)...)
	if err != nil {
		return nil, err
	}
	node, err := c.findNode(ident)
	if err != nil {
		return nil, err
	}
	entries := c.tables().History(node.UUID)
	rows := make([]*db.History, len(entries))
	for i := range entries {
		rows[i] = &entries[i]
	}
	p, err := takePaging(args)
	if err != nil {
		return nil, err
	}
	if !args.has("sort_key") {
		p.key = "created_at"
	}
	var marker *db.History
	if p.marker != "" {
		at := slices.IndexFunc(rows, func(h *db.History) bool { return h.UUID == p.marker })
		if at < 0 {
			return nil, noHistory(p.marker)
		}
		marker = rows[at]
	}
	value := historyColumns[p.key]
	if value == nil {
		return nil, noSortKey(p.key)
	}
	rows = page(p, rows, marker, func(h *db.History) int { return h.ID },
		func(h *db.History, _ string) any { return value(h) })
	documents, last, fields := make([]map[string]any, len(rows)), "", []string{"uuid", "created_at", "severity", "event"}
	if args.isTrue("detail") {
		fields = []string{
			"uuid", "created_at", "severity", "event_type", "event", "conductor", "user", "project", "state",
			"target_provision_state", "duration_seconds",
		}
	}
	for i, entry := range rows {
		documents[i], last = c.historyDocument(*entry, args.isTrue("detail")), entry.UUID
	}
	// The next link has a marker before the marker, which is an object's name in
	// the real one if there was one before.
	return c.collection("history", "nodes/"+ident+"/history", documents, p, last, fields), nil
}

func noHistory(uuid string) error {
	return db.Faultf(http.StatusNotFound, "NodeHistoryNotFound", "Node history record %s could not be found.", uuid)
}

func (c *call) showHistoryEntry(ident, uuid string) (any, error) {
	if _, err := c.take(fromPath("event", uuid, checkIdent)); err != nil {
		return nil, err
	}
	node, err := c.findNode(ident)
	if err != nil {
		return nil, err
	}
	for _, entry := range c.tables().History(node.UUID) {
		if entry.UUID == uuid {
			return c.historyDocument(entry, true), nil
		}
	}
	return nil, noHistory(uuid)
}
