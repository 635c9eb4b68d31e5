package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/provision"
)

// Installs reads the logs of ramdisks while steps run, for how far installers are. It is
// an ornament: nothing waits for it, and where no source works nothing is said.
type Installs struct {
	follower agentlog.Follower
	// agent asks where the ramdisk of a node is; empty where nobody knows.
	agent func(ctx context.Context, uuid string) string

	running sync.WaitGroup
	mu      sync.Mutex
	nodes   map[string]*installing // by uuid
	over    bool
}

// installing is a node whose installer may run.
type installing struct {
	cancel  context.CancelFunc // nil while it is not followed
	address string
	ahead   time.Duration // of the server's clock
	pace    models.InstallPace
}

// mostFollowed bounds how many logs are followed at once, and agentPeriod is how often it
// is asked where a ramdisk is.
const (
	mostFollowed = provision.AtOnce
	agentPeriod  = 10 * time.Second
)

// NewInstalls follows logs by a follower, whose addresses [Installs.Address] has; agent asks
// where the ramdisk of a node is.
func NewInstalls(follower agentlog.Follower, agent func(ctx context.Context, uuid string) string) *Installs {
	return &Installs{follower: follower, agent: agent, nodes: map[string]*installing{}}
}

// Installs follows as the context's configuration says; nil where no log can be.
func (s *Session) Installs() *Installs {
	l := NewInstalls(nil, func(ctx context.Context, uuid string) string {
		n, err := s.Client.Node(ctx, uuid, "uuid", "driver_internal_info")
		if err != nil || n.Internal == nil {
			return ""
		}
		return n.Internal.AgentURL
	})
	way := LogsWay{Address: l.Address}
	for _, source := range []models.LogSource{models.LogSSH, models.LogPush} {
		if of := s.Context.Logs.Sources; len(of) == 0 || slices.Contains(of, source) {
			way.Sources = append(way.Sources, source)
		}
	}
	if s.Context.Logs.Listen != "" {
		// Whoever receives, this reads along.
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

// Address is where a node's ramdisk is, as far as it was found.
func (l *Installs) Address(n models.NodeRef) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one := l.nodes[n.UUID]; one != nil {
		return one.address
	}
	return ""
}

// Pace is how far a node's installer is.
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

// Look follows the log of a node while a step of its work runs. It does not wait.
func (l *Installs) Look(ctx context.Context, p provision.Progress) {
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
		one.ahead = time.Until(p.At)
		if !steps {
			one.cancel()
			one.cancel = nil
		}
	case steps && !l.over && l.followed() < mostFollowed:
		ctx, cancel := context.WithCancel(ctx)
		one = &installing{cancel: cancel, ahead: time.Until(p.At)}
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

// find keeps the address of a ramdisk.
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
		now := time.Now().Add(one.ahead)
		for i := range b.Lines {
			one.pace.Take(&b.Lines[i], now)
		}
		l.mu.Unlock()
	}
}

// Stop ends it all.
func (l *Installs) Stop() {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.over = true
	for _, one := range l.nodes {
		if one.cancel != nil {
			one.cancel()
			one.cancel = nil
		}
	}
	l.mu.Unlock()
	l.running.Wait()
}
