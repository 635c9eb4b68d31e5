package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ironworks/agentlog"
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

// remainingText returns the installer's progress, from its log, and the estimated remaining time.
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

// Installs follows ramdisk logs while steps are running, to read the progress of installers. Nothing waits for it.
type Installs struct {
	follower agentlog.Follower
	// agent returns the address of a node's ramdisk, or "" if it is unknown.
	agent func(ctx context.Context, uuid string) string

	running sync.WaitGroup
	mu      sync.Mutex
	nodes   map[string]*installing // the nodes by UUID
	stopped bool
}

// installing is a node on which an installer may be running.
type installing struct {
	cancel     context.CancelFunc // nil while the log is not followed
	address    string
	clockAhead time.Duration // how far the server's clock is ahead
	pace       models.InstallPace
}

// maxFollowed is the maximum number of followed logs. agentPeriod is the time between reads of a ramdisk's address.
const (
	maxFollowed = provision.Concurrency
	agentPeriod = 10 * time.Second
)

// newInstalls returns an Installs. follower should use [Installs.Address]; agent returns a ramdisk's address.
func newInstalls(follower agentlog.Follower, agent func(ctx context.Context, uuid string) string) *Installs {
	return &Installs{follower: follower, agent: agent, nodes: map[string]*installing{}}
}

// Installs returns an Installs for the context's configuration, or nil if no log can be followed.
func (s *Session) Installs() *Installs {
	l := newInstalls(nil, func(ctx context.Context, uuid string) string {
		n, err := s.Client.Node(ctx, uuid, "uuid", "driver_internal_info")
		if err != nil || n.Internal == nil {
			return ""
		}
		return n.Internal.AgentURL
	})
	way := agentlog.Options{Address: l.Address}
	for _, source := range []models.LogSource{models.LogSSH, models.LogPush} {
		if of := s.Context.Logs.Sources; len(of) == 0 || slices.Contains(of, source) {
			way.Sources = append(way.Sources, source)
		}
	}
	if s.Context.Logs.Listen != "" {
		// This receiver does not listen, because another process may already receive the journals.
		if receiver, err := s.Receiver(); err == nil {
			way.Push = receiver
		}
	}
	if len(way.Sources) == 0 {
		return nil
	}
	follower, err := s.Follower(way)
	if err != nil {
		return nil
	}
	l.follower = follower
	return l
}

// Address returns the address of a node's ramdisk, or "" until it is found.
func (l *Installs) Address(n models.NodeRef) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one := l.nodes[n.UUID]; one != nil {
		return one.address
	}
	return ""
}

// Pace returns the progress of a node's installer.
func (l *Installs) Pace(uuid string) models.InstallPace {
	if l == nil {
		return models.InstallPace{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if one := l.nodes[uuid]; one != nil {
		return one.pace
	}
	return models.InstallPace{}
}

// Update follows the log of the node in p while a step is running. It does not block.
func (l *Installs) Update(ctx context.Context, p provision.Progress) {
	if l == nil || p.Work == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	phase := p.Work.Current()
	steps := phase != nil && phase.Kind == models.PhaseStep && p.Work.Outcome == models.OutcomeRunning
	one := l.nodes[p.Node.UUID]
	switch {
	case one != nil && one.cancel != nil:
		one.clockAhead = time.Until(p.At)
		if !steps {
			one.cancel()
			one.cancel = nil
		}
	case steps && !l.stopped && l.followed() < maxFollowed:
		ctx, cancel := context.WithCancel(ctx)
		one = &installing{cancel: cancel, clockAhead: time.Until(p.At)}
		l.nodes[p.Node.UUID] = one
		l.running.Go(func() { l.find(ctx, one, p.Node.UUID) })
		l.running.Go(func() { l.follow(ctx, one, p.Node) })
	}
}

func (l *Installs) followed() (n int) {
	for _, one := range l.nodes {
		if one.cancel != nil {
			n++
		}
	}
	return n
}

// find keeps the address of a node's ramdisk up to date until ctx is done.
func (l *Installs) find(ctx context.Context, one *installing, uuid string) {
	for {
		if address := l.agent(ctx, uuid); address != "" {
			l.mu.Lock()
			one.address = address
			l.mu.Unlock()
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(agentPeriod):
		}
	}
}

func (l *Installs) follow(ctx context.Context, one *installing, node models.NodeRef) {
	for b := range l.follower.Follow(ctx, node) {
		l.mu.Lock()
		now := time.Now().Add(one.clockAhead)
		for i := range b.Lines {
			one.pace.AddLine(&b.Lines[i], now)
		}
		l.mu.Unlock()
	}
}

// Stop stops following all logs.
func (l *Installs) Stop() {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.stopped = true
	for _, one := range l.nodes {
		if one.cancel != nil {
			one.cancel()
			one.cancel = nil
		}
	}
	l.mu.Unlock()
	l.running.Wait()
}
