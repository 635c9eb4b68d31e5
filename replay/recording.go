// Package replay plays back recorded states, events and ramdisk logs on the screens that showed them live. A
// [Recording] is one compressed file, which may be hostile. A [Player] plays it in place of a poller, Ironic's API and
// the log sources, and sends no requests.
package replay

import (
	"slices"
	"time"

	"ironworks/models"
)

// Header describes a recording.
type Header struct {
	// Made is the time at which the recording was written. Program is the program that wrote it.
	Made    time.Time `json:"made"`
	Program string    `json:"program"`
	// Context is the name of the recorded context. Lab reports whether its machines are simulated.
	Context string `json:"context"`
	Lab     bool   `json:"lab,omitempty"`
	// API is the version of Ironic's API that was used last.
	API string `json:"api,omitempty"`
	// Nodes lists the recorded nodes.
	Nodes []models.NodeRef `json:"nodes"`
}

// Recording holds the recorded data of some nodes.
type Recording struct {
	Header
	Pictures []models.Picture
	Events   []models.Event
	Works    []models.Work
	Lines    []models.LogLine
}

// Span returns the start and the end of the recording. It covers all states and events, and the log lines up to
// logMargin before and after them. Without states and events, it covers all log lines. Both times are zero if there is
// nothing to play.
func (r *Recording) Span() (from, to time.Time) {
	extend := func(t time.Time) {
		if t.IsZero() {
			return
		}
		if from.IsZero() || t.Before(from) {
			from = t
		}
		if t.After(to) {
			to = t
		}
	}
	for i := range r.Pictures {
		extend(r.Pictures[i].At)
	}
	for i := range r.Events {
		extend(r.Events[i].Time)
	}
	if !from.IsZero() {
		// The log may start long before and end long after the states, so only the lines near the states count.
		first, last := from.Add(-logMargin), to.Add(logMargin)
		for i := range r.Lines {
			if t := r.Lines[i].Time; !t.Before(first) && !t.After(last) {
				extend(t)
			}
		}
		return from, to
	}
	for i := range r.Lines {
		extend(shownAt(&r.Lines[i], time.Time{}, time.Time{}))
	}
	return from, to
}

// logMargin is the maximum time by which log lines extend the recording beyond its first and last state or event.
const logMargin = 10 * time.Minute

// shownAt returns the time at which a line is played: the machine's time if it is between from and to or from is zero,
// or the time of receipt, limited to that period if the machine's time is known.
func shownAt(l *models.LogLine, from, to time.Time) time.Time {
	switch {
	case l.Time.IsZero():
		return l.Received
	case from.IsZero() || !l.Time.Before(from) && !l.Time.After(to):
		return l.Time
	case l.Received.Before(from):
		return from
	case l.Received.After(to):
		return to
	}
	return l.Received
}

// sort sorts snapshots, events and operations by time. It keeps the order of equal times.
func (r *Recording) sort() {
	slices.SortStableFunc(r.Pictures, func(a, b models.Picture) int { return a.At.Compare(b.At) })
	slices.SortStableFunc(r.Events, func(a, b models.Event) int { return a.Time.Compare(b.Time) })
	slices.SortStableFunc(r.Works, func(a, b models.Work) int { return a.Begin.Compare(b.Begin) })
}

// clockTolerance is the maximum difference between the times of a snapshot and an event that belong together. Two
// programs that watch a node do not read it at the same moment, and their estimates of the server's clock differ.
const clockTolerance = 5 * time.Second

// settledEvents holds the events with which each node reached a stable state, latest first, by UUID.
type settledEvents map[string][]*models.Event

func (r *Recording) settledEvents() settledEvents {
	found := settledEvents{}
	for i := len(r.Events) - 1; i >= 0; i-- {
		e := &r.Events[i]
		if e.Kind == models.EventProvisionState && !models.ProvisionState(e.To).Busy() {
			found[e.Node.UUID] = append(found[e.Node.UUID], e)
		}
	}
	return found
}

// outdated reports whether a snapshot shows an operation that had ended shortly before. For example, a node that has
// become active must not be shown as deploying again for a moment.
func (r settledEvents) outdated(p *models.Picture) bool {
	if !p.Node.ProvisionState.Busy() {
		return false
	}
	for _, e := range r[p.Node.UUID] {
		if delay := p.At.Sub(e.Time); delay >= 0 {
			return delay <= clockTolerance && models.ProvisionState(e.From).Phase() == p.Node.ProvisionState.Phase()
		}
	}
	return false
}

// showTime returns the time at which a snapshot is shown. A snapshot of a stable state is not shown before the event
// with which the node reached that state, because the recorder's clock may have been behind.
func (r settledEvents) showTime(p *models.Picture) time.Time {
	if p.Node.ProvisionState.Busy() {
		return p.At
	}
	for _, e := range r[p.Node.UUID] {
		early := e.Time.Sub(p.At)
		if early > 0 && early <= clockTolerance && e.To == string(p.Node.ProvisionState) && models.ProvisionState(e.From).Busy() {
			return e.Time
		}
	}
	return p.At
}
