package replay

import (
	"slices"
	"time"

	"ironworks/models"
)

// Header says what a recording is of.
type Header struct {
	// Made is when it was written, Program what wrote it.
	Made    time.Time `json:"made"`
	Program string    `json:"program"`
	// Context is the name of the context that it comes from; Lab says that its machines do
	// not exist.
	Context string `json:"context"`
	Lab     bool   `json:"lab,omitempty"`
	// API is the version of Ironic's API that was spoken last.
	API string `json:"api,omitempty"`
	// Nodes are those that it is of.
	Nodes []models.NodeRef `json:"nodes"`
}

// Recording is what was kept of some nodes.
type Recording struct {
	Header
	Pictures []models.Picture
	Events   []models.Event
	Works    []models.Work
	Lines    []models.LogLine
}

// Span is when it begins and ends: what is known of states, and what was written
// between them and shortly around. Both are zero where there is nothing to play.
func (r *Recording) Span() (from, to time.Time) {
	note := func(t time.Time) {
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
		note(r.Pictures[i].At)
	}
	for i := range r.Events {
		note(r.Events[i].Time)
	}
	if !from.IsZero() {
		// The log may begin long before, and go on long after: what is near belongs to it.
		first, last := from.Add(-around), to.Add(around)
		for i := range r.Lines {
			if t := r.Lines[i].Time; !t.Before(first) && !t.After(last) {
				note(t)
			}
		}
		return from, to
	}
	for i := range r.Lines {
		note(shownAt(&r.Lines[i], time.Time{}, time.Time{}))
	}
	return from, to
}

// around is how much before the first and after the last state lines are played.
const around = 10 * time.Minute

// shownAt is when a line is played: at the machine's time, as far as that can be
// right, or else when it was received.
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

// sort puts everything in order of time; what is of the same time stays as it was.
func (r *Recording) sort() {
	slices.SortStableFunc(r.Pictures, func(a, b models.Picture) int { return a.At.Compare(b.At) })
	slices.SortStableFunc(r.Events, func(a, b models.Event) int { return a.Time.Compare(b.Time) })
	slices.SortStableFunc(r.Works, func(a, b models.Work) int { return a.Begin.Compare(b.Begin) })
}
