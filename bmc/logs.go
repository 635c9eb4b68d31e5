package bmc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

type logService struct {
	resource
	Enabled *bool `json:"ServiceEnabled"`
	Entries ref
}

type logEntry struct {
	resource
	Created, EventTimestamp, Severity, Message, Description, MessageID string
}

// readLogs reads the newest entries in the logs of the machine and of its controller. These are the system event log
// and vendor logs, such as Dell's lifecycle log and HPE's IML.
func (p *probe) readLogs(ctx context.Context) error {
	services, err := members[logService](ctx, p.session, p.system.LogServices, mostLogs)
	all := []error{err}
	if p.manager != nil {
		more, err := members[logService](ctx, p.session, p.manager.LogServices, mostLogs)
		services, all = append(services, more...), append(all, err)
	}
	seen := map[string]bool{}
	for i := range services {
		s := &services[i]
		if at := s.Entries.ID; at == "" || seen[at] || s.Enabled != nil && !*s.Enabled || isDump(s.ID) {
			continue
		}
		seen[s.Entries.ID] = true
		entries, err := p.newest(ctx, s.Entries.ID)
		all = append(all, err)
		p.found.Log = append(p.found.Log, bmcEntries(s, entries)...)
	}
	return errors.Join(all...)
}

// isDump reports whether a log contains files or POST codes, which are not worth reading.
func isDump(id string) bool {
	return strings.Contains(id, "Dump") || id == "PostCodes" || id == "HostLogger"
}

// newest reads the newest entries of a log. Most logs start with the oldest entry, Dell's with the newest.
func (p *probe) newest(ctx context.Context, at string) ([]logEntry, error) {
	raw, next, total, err := p.logPage(ctx, p.top(at, 0))
	if err != nil && p.root.Features.TopSkipQuery {
		raw, next, total, err = p.logPage(ctx, at) // some controllers claim to support $top, but reject it
	}
	if err != nil {
		return nil, err
	}
	if len(raw) < total && p.root.Features.TopSkipQuery && p.oldestFirst(raw) {
		raw, _, _, err = p.logPage(ctx, p.top(at, total-maxEntries))
		if err != nil {
			return nil, err
		}
		next = ""
	}
	if next != "" && p.oldestFirst(raw) {
		more, failed := p.pages(ctx, next, 1<<14)
		raw, err = append(raw, more...), failed
	}
	entries, more := p.entries(ctx, raw)
	return entries, errors.Join(err, more)
}

// top returns the path for requesting at most maxEntries entries of a log. The skip argument is the number of entries
// to skip at the start. If the controller does not support such requests, top returns the path of the log unchanged.
func (p *probe) top(at string, skip int) string {
	if !p.root.Features.TopSkipQuery || strings.Contains(at, "?") {
		return at
	}
	if skip > 0 {
		return fmt.Sprintf("%s?$skip=%d&$top=%d", at, skip, maxEntries)
	}
	return fmt.Sprintf("%s?$top=%d", at, maxEntries)
}

func (p *probe) logPage(ctx context.Context, at string) ([]json.RawMessage, string, int, error) {
	var page collection
	if err := p.get(ctx, at, &page); err != nil {
		return nil, "", 0, err
	}
	if page.Next == at {
		page.Next = ""
	}
	return page.Members, page.Next, int(amount(page.Count, 1e7)), nil
}

// oldestFirst reports whether a list starts with the oldest entry, by the times or the IDs of its first and last entry.
func (p *probe) oldestFirst(raw []json.RawMessage) bool {
	if len(raw) < 2 {
		return false
	}
	var first, final logEntry
	_, _ = json.Unmarshal(raw[0], &first), json.Unmarshal(raw[len(raw)-1], &final) // missing values are ignored
	a, b := parseTime(first.Created), parseTime(final.Created)
	if !a.IsZero() && !b.IsZero() && !a.Equal(b) {
		return a.Before(b)
	}
	x, y := cmp.Or(first.ID, last(first.ref.ID)), cmp.Or(final.ID, last(final.ref.ID))
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) < 0
}

// entries decodes log entries, newest first. If the list consists of links, it reads only the newest few.
func (p *probe) entries(ctx context.Context, raw []json.RawMessage) ([]logEntry, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if p.oldestFirst(raw) {
		slices.Reverse(raw) // put the newest entries first; later sorting keeps the order of entries with equal times
	}
	if _, links := isLink(raw[0]); !links {
		return resolve[logEntry](ctx, p.session, raw)
	}
	return resolve[logEntry](ctx, p.session, raw[:min(len(raw), maxSingle)])
}

func bmcEntries(service *logService, entries []logEntry) []models.BMCEntry {
	out := make([]models.BMCEntry, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		out = append(out, models.BMCEntry{
			Log: cmp.Or(service.Name, service.ID), ID: e.ID, At: parseTime(e.Created, e.EventTimestamp), Severity: health(e.Severity),
			Message: cmp.Or(e.Message, e.Description, e.MessageID),
		})
	}
	slices.SortStableFunc(out, func(a, b models.BMCEntry) int { return b.At.Compare(a.At) })
	return out[:min(len(out), maxEntries)]
}
