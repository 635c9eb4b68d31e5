package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ironworks/models"
	"ironworks/provision"
)

// Board shows the progress of a batch's nodes in one line.
type Board struct {
	mu       sync.Mutex
	total    int
	name     string
	progress map[string]string
	retryAt  map[string]time.Time
	lost     bool
	// works holds the operations by node label. experience holds earlier durations; it may be nil.
	works      map[string]boardWork
	experience *models.Experience
	// installs provides the progress of installers; it may be nil.
	installs *Installs
}

type boardWork struct {
	*models.Work
	clockAhead time.Duration
}

// NewBoard returns a board for p. past holds the durations of earlier operations, and installs provides the progress
// of installers; both may be nil.
func NewBoard(p provision.Batch, past *models.Experience, installs *Installs) *Board {
	return &Board{experience: past, installs: installs, total: len(p.Legal()), name: p.Action.Name(), progress: map[string]string{}, retryAt: map[string]time.Time{}, works: map[string]boardWork{}}
}

// Update adds the latest progress of a node to the board.
func (b *Board) Update(p provision.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	label := p.Node.Label()
	delete(b.retryAt, label)
	delete(b.works, label)
	switch {
	case p.Retry != nil:
		why := string(p.Retry.Fault.Kind)
		if by := p.Retry.Fault.LockedBy; by != "" {
			why = "locked by " + by
		}
		b.progress[label] = fmt.Sprintf("%s, attempt %d of %d", why, p.Retry.Attempt+1, p.Retry.Tries)
		b.retryAt[label] = time.Now().Add(p.Retry.Delay)
	case p.Fault != nil:
		b.progress[label] = p.Fault.Reason()
	default:
		b.progress[label] = strings.TrimSpace(string(p.State) + " " + p.Step)
		if p.Work != nil {
			b.works[label] = boardWork{Work: p.Work, clockAhead: time.Until(p.At)}
		}
	}
}

// ConnectionChange returns a message if the connection to Ironic has just been lost or has just come back, or "".
func (b *Board) ConnectionChange(p provision.Progress) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.lost
	b.lost = p.Fault != nil
	switch {
	case b.lost && !was:
		return fmt.Sprintf("connection lost: %s; reconnecting, the operations continue", p.Fault.ReasonAndHint())
	case was && !b.lost:
		return "connected again"
	}
	return ""
}

// remainingText returns the installer's progress and the remaining time. The progress comes from the installer's log.
// The remaining time is an estimate from earlier operations.
func (b *Board) remainingText(w boardWork) string {
	now := time.Now().Add(w.clockAhead)
	pace := b.installs.Pace(w.Node.UUID)
	estimate := b.experience.Estimate(w.Work, now).Pace(b.experience, w.Work, pace, now)
	percent := ""
	if done, known := pace.Percent(w.Current()); known {
		percent = fmt.Sprintf(" %d%%", done)
	}
	text := estimate.Short()
	if b.total == 1 {
		text = estimate.Text()
	}
	if text == "" || w.Outcome != models.OutcomeRunning {
		return percent
	}
	return percent + ", " + text
}

// Line returns the board in one line, with countdowns.
func (b *Board) Line() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.progress) == 0 {
		return fmt.Sprintf("%s: sending to %d", b.name, b.total)
	}
	parts := make([]string, 0, len(b.progress))
	for _, label := range slices.Sorted(maps.Keys(b.progress)) {
		text := label + " " + b.progress[label]
		if t, ok := b.retryAt[label]; ok {
			text += fmt.Sprintf(" in %ds", max(int(time.Until(t).Round(time.Second).Seconds()), 0))
		}
		if w, ok := b.works[label]; ok {
			text += b.remainingText(w)
		}
		parts = append(parts, text)
	}
	return b.name + ": " + strings.Join(parts, " · ")
}
