package cmd

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

// board is where the nodes of a plan stand while they are acted on.
type board struct {
	mu    sync.Mutex
	total int
	name  string
	at    map[string]string
	until map[string]time.Time
	lost  bool
	// works is what goes on with each node, with how far the server's clock is ahead; past
	// is what earlier work took, and may be nil.
	works map[string]boardWork
	past  *models.Experience
	// installs tells how far installers are; may be nil.
	installs *session.Installs
}

type boardWork struct {
	*models.Work
	ahead time.Duration
}

func newBoard(p provision.Batch) *board {
	return &board{total: len(p.Legal()), name: p.Action.Name(), at: map[string]string{}, until: map[string]time.Time{}, works: map[string]boardWork{}}
}

func (b *board) note(p provision.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	label := p.Node.Label()
	delete(b.until, label)
	delete(b.works, label)
	switch {
	case p.Retry != nil:
		b.at[label] = fmt.Sprintf("%s, try %d of %d", p.Retry.Fault.Kind, p.Retry.Attempt+1, p.Retry.Tries)
		if by := p.Retry.Fault.LockedBy; by != "" {
			b.at[label] = "locked by " + by + fmt.Sprintf(", try %d of %d", p.Retry.Attempt+1, p.Retry.Tries)
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

// contact says when contact with Ironic was lost while following, and when it is back;
// "" most of the time.
func (b *board) contact(p provision.Progress) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.lost
	b.lost = p.Fault != nil
	switch {
	case b.lost && !was:
		return fmt.Sprintf("lost contact: %s; trying again, the nodes go on by themselves", reasonAndHint(p.Fault))
	case was && !b.lost:
		return "connected again"
	}
	return ""
}

// left is how far the installer is, and how long the work still takes, by its log and by
// what others took: with that where it is the only node.
func (b *board) left(w boardWork) string {
	now := time.Now().Add(w.ahead)
	pace := b.installs.Pace(w.Node.UUID)
	estimate := b.past.Estimate(w.Work, now).Pace(b.past, w.Work, pace, now)
	percent := ""
	if done, told := pace.Percent(w.Current()); told {
		percent = fmt.Sprintf(" %d%%", done)
	}
	return percent + b.remaining(w, &estimate)
}

func (b *board) remaining(w boardWork, estimate *models.Estimate) string {
	text := estimate.Short()
	if b.total == 1 {
		text = estimate.Text()
	}
	if text == "" || w.Outcome != models.OutcomeRunning {
		return ""
	}
	return ", " + text
}

// line is the board on one line, with countdowns.
func (b *board) line() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.at) == 0 {
		return fmt.Sprintf("%s: sending to %d", b.name, b.total)
	}
	parts := make([]string, 0, len(b.at))
	for _, label := range sortedNames(b.at) {
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
