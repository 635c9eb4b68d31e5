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

// Board is the progress of a batch's nodes.
type Board struct {
	mu    sync.Mutex
	total int
	name  string
	at    map[string]string
	until map[string]time.Time
	lost  bool
	// works has the operation of each node; past has the durations of earlier operations, and may
	// be nil.
	works map[string]boardWork
	past  *models.Experience
	// installs has the progress of installers; it may be nil.
	installs *Installs
}

type boardWork struct {
	*models.Work
	ahead time.Duration
}

// NewBoard returns the board of a batch. Past has the durations of earlier operations, and
// installs the progress of installers; both may be nil.
func NewBoard(p provision.Batch, past *models.Experience, installs *Installs) *Board {
	return &Board{past: past, installs: installs, total: len(p.Legal()), name: p.Action.Name(), at: map[string]string{}, until: map[string]time.Time{}, works: map[string]boardWork{}}
}

// Update adds the progress of a node.
func (b *Board) Update(p provision.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	label := p.Node.Label()
	delete(b.until, label)
	delete(b.works, label)
	switch {
	case p.Retry != nil:
		b.at[label] = fmt.Sprintf("%s, attempt %d of %d", p.Retry.Fault.Kind, p.Retry.Attempt+1, p.Retry.Tries)
		if by := p.Retry.Fault.LockedBy; by != "" {
			b.at[label] = "locked by " + by + fmt.Sprintf(", attempt %d of %d", p.Retry.Attempt+1, p.Retry.Tries)
		}
		b.until[label] = time.Now().Add(p.Retry.Delay)
	case p.Fault != nil:
		b.at[label] = p.Fault.Reason()
	default:
		b.at[label] = strings.TrimSpace(string(p.State) + " " + p.Step)
		if p.Work != nil {
			b.works[label] = boardWork{Work: p.Work, ahead: time.Until(p.At)}
		}
	}
}

// ConnectionChange returns a message when the connection to Ironic is lost during watching, and
// when it is back; otherwise "".
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

// left returns the installer's progress and the remaining time, from its log and earlier
// operations.
func (b *Board) left(w boardWork) string {
	now := time.Now().Add(w.ahead)
	pace := b.installs.Pace(w.Node.UUID)
	estimate := b.past.Estimate(w.Work, now).Pace(b.past, w.Work, pace, now)
	percent := ""
	if done, known := pace.Percent(w.Current()); known {
		percent = fmt.Sprintf(" %d%%", done)
	}
	return percent + b.remaining(w, &estimate)
}

func (b *Board) remaining(w boardWork, estimate *models.Estimate) string {
	text := estimate.Short()
	if b.total == 1 {
		text = estimate.Text()
	}
	if text == "" || w.Outcome != models.OutcomeRunning {
		return ""
	}
	return ", " + text
}

// Line returns the board in one line, with countdowns.
func (b *Board) Line() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.at) == 0 {
		return fmt.Sprintf("%s: sending to %d", b.name, b.total)
	}
	parts := make([]string, 0, len(b.at))
	for _, label := range slices.Sorted(maps.Keys(b.at)) {
		text := label + " " + b.at[label]
		if t, ok := b.until[label]; ok {
			text += fmt.Sprintf(" in %ds", max(int(time.Until(t).Round(time.Second).Seconds()), 0))
		}
		if w, ok := b.works[label]; ok {
			text += b.left(w)
		}
		parts = append(parts, text)
	}
	return b.name + ": " + strings.Join(parts, " · ")
}
