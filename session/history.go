package session

import (
	"context"
	"slices"
	"time"

	"ironworks/audit"
	"ironworks/models"
)

// HistoryEntry is one entry of a node's history: a request, an operation or a transition.
type HistoryEntry struct {
	Time       time.Time     `json:"time"`
	Request    *audit.Record `json:"request,omitempty"`
	Work       *models.Work  `json:"work,omitempty"`
	Transition *models.Event `json:"transition,omitempty"`
}

// HistorySource contains the methods of the journal that [History] uses.
type HistorySource interface {
	OfNode(ctx context.Context, uuid string, most int) ([]models.Work, error)
	Transitions(ctx context.Context, uuid string, since time.Time) ([]models.Event, error)
}

const maxWorks = 10_000

// History returns the node's history since the given time, oldest entry first. It combines the operations and
// transitions from the journal (past) with the requests that the audit file contains for the context.
func History(ctx context.Context, past HistorySource, auditFile, contextName string, node models.NodeRef, since time.Time) ([]HistoryEntry, error) {
	works, err := past.OfNode(ctx, node.UUID, maxWorks)
	if err != nil {
		return nil, err
	}
	events, err := past.Transitions(ctx, node.UUID, since)
	if err != nil {
		return nil, err
	}
	requests, err := audit.Read(auditFile, contextName, node)
	if err != nil {
		return nil, err
	}
	entries := []HistoryEntry{}
	for i := range requests {
		if r := &requests[i]; !r.Time.Before(since) {
			entries = append(entries, HistoryEntry{Time: r.Time, Request: r})
		}
	}
	for i := range works {
		if w := &works[i]; !w.Begin.Before(since) {
			entries = append(entries, HistoryEntry{Time: w.Begin, Work: w})
		}
	}
	for i := range events {
		entries = append(entries, HistoryEntry{Time: events[i].Time, Transition: &events[i]})
	}
	// The stable sort keeps this order among entries with the same time: requests, operations, transitions.
	slices.SortStableFunc(entries, func(a, b HistoryEntry) int { return a.Time.Compare(b.Time) })
	return entries, nil
}

// Text returns the kind of the entry and a description; both are safe to show.
func (e *HistoryEntry) Text() (what, text string) {
	switch {
	case e.Request != nil:
		return "sent", e.Request.Text()
	case e.Work != nil:
		return e.Work.Noun(), e.Work.Text()
	}
	return "", e.Transition.Text()
}
