package ui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/ui/screen"
)

// liveSession is the session in front with what keeps it going.
type liveSession struct {
	*screen.Session
	number int
	ctx    context.Context //nolint:containedctx // it is the life of the session
	cancel context.CancelFunc
	feed   *mailbox[news]
	// asked is when the conductors were asked for.
	asked  time.Time
	asking bool
	// helped says that the connect screen was put in front, because nothing answered.
	helped bool
}

// sessionOpened is the answer to openSession.
type sessionOpened struct {
	number  int
	feed    *mailbox[news]
	name    string
	session *screen.Session
	err     error
}

// polled is news of a session's poller, pollEnded that it polls no more.
type (
	polled struct {
		number int
		news
	}
	pollEnded struct{ number int }
	// conductorsSeen is how many conductors there are.
	conductorsSeen struct {
		number int
		list   []models.Conductor
		failed bool
	}
)

// openSession begins with a context; "" is the current one.
func (c *Console) openSession(name string) tea.Cmd {
	c.sessions++
	number, open, feed := c.sessions, c.opts.Open, newMailbox[news]()
	return func() tea.Msg {
		s, err := open(name, notice(feed))
		return sessionOpened{number: number, feed: feed, name: name, session: s, err: err}
	}
}

func (c *Console) sessionNews(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sessionOpened:
		return c.sessionOpened(msg)
	case polled:
		if c.live == nil || msg.number != c.live.number {
			return nil
		}
		return c.polled(msg.news)
	case conductorsSeen:
		if c.live != nil && msg.number == c.live.number {
			c.live.asking = false
			if !msg.failed {
				c.env.Conductors = msg.list
			}
		}
	case pollEnded:
	}
	return nil
}

// sessionOpened puts a session in the place of the one before, or says why it cannot.
func (c *Console) sessionOpened(msg sessionOpened) tea.Cmd {
	if msg.number != c.sessions {
		if msg.session != nil {
			msg.session.Close() // another was asked for meanwhile
		}
		return nil
	}
	if msg.err != nil {
		c.say(screen.Say{Level: screen.Failure, Text: msg.err.Error()})
		if c.history.front() == nil {
			return tea.Batch(c.open(screen.Ref{Kind: screen.KindConnect}), c.openFile())
		}
		return nil
	}
	if c.live != nil {
		c.live.cancel()
	}
	ctx, cancel := context.WithCancel(c.ctx)
	c.live = &liveSession{Session: msg.session, number: msg.number, ctx: ctx, cancel: cancel, feed: msg.feed}
	c.env.Session = msg.session
	c.env.Status, c.env.Conductors = fleet.Status{}, nil
	c.env.Started = c.opts.Clock.Now()
	c.env.ReadOnly = c.opts.ReadOnly || msg.session.Context.ReadOnly
	c.env.Events, c.env.Watching, c.env.Installs = &screen.EventLog{}, &screen.WatchList{}, &screen.Installs{}
	c.said = headline{}
	c.markCurrent(msg.session.Context.Name)
	c.restyle()
	c.history.clear()
	return tea.Batch(c.poll(c.live), c.listen(c.live), c.open(screen.Ref{Kind: screen.KindFleet}), c.openFile(), c.tellUnfinished(msg.session))
}

func (c *Console) markCurrent(name string) {
	for i := range c.env.Contexts {
		c.env.Contexts[i].Current = c.env.Contexts[i].Name == name
	}
}

// poll runs the session's poller to the session's end.
func (c *Console) poll(l *liveSession) tea.Cmd {
	running := c.running
	running.Add(1)
	return func() tea.Msg {
		defer running.Done()
		defer l.Close()
		_ = l.Run(l.ctx, push(l.feed)) // it ends with its context; faults are news
		return pollEnded{l.number}
	}
}

// listen waits for the poller's news.
func (c *Console) listen(l *liveSession) tea.Cmd {
	return func() tea.Msg {
		u, ok := l.feed.take(l.ctx)
		if !ok {
			return nil
		}
		return polled{number: l.number, news: u}
	}
}

func (c *Console) polled(n news) tea.Cmd {
	for _, text := range n.notices {
		c.say(screen.Say{Level: screen.Warning, Text: text})
	}
	if n.update == nil {
		return c.listen(c.live)
	}
	u := *n.update
	c.env.Status = u.Status
	var again tea.Cmd
	if u.Rewound {
		again = c.rewound()
	}
	c.env.Events.Add(u.Events)
	c.said.note(u.Status)
	now := c.opts.Clock.Now()
	return tea.Batch(again, c.listen(c.live), c.dueConductors(now), c.tellScreen(screen.FleetChanged{Update: u}), c.guide(u.Status))
}

// guide shows what is wrong, and the way out, to who cannot get in: the connect screen
// comes to the front by itself while nothing ever answered, and goes when it does.
func (c *Console) guide(s fleet.Status) tea.Cmd {
	front := c.history.front()
	switch {
	case s.Fault != nil && s.Answered.IsZero() && !c.live.helped:
		c.live.helped = true
		if front != nil && front.Ref().Kind == screen.KindFleet {
			return c.open(screen.Ref{Kind: screen.KindConnect})
		}
	case s.Connected && c.live.helped:
		c.live.helped = false
		if front != nil && front.Ref().Kind == screen.KindConnect && len(c.overlays) == 0 {
			return c.home(screen.KindFleet)
		}
	}
	return nil
}

// conductorsEvery is how often the conductors are counted: one small request.
const conductorsEvery = time.Minute

// dueConductors counts the conductors now and then, once Ironic answers.
func (c *Console) dueConductors(now time.Time) tea.Cmd {
	l := c.live
	if l == nil || l.Replay != nil || l.asking || !c.env.Status.Connected {
		return nil
	}
	if !c.env.Status.Complete || (!l.asked.IsZero() && now.Sub(l.asked) < conductorsEvery) {
		return nil
	}
	l.asked, l.asking = now, true
	return func() tea.Msg {
		list, err := l.API.Conductors(l.ctx)
		return conductorsSeen{number: l.number, list: list, failed: err != nil} // the poller tells of faults
	}
}

// refresh asks Ironic now, and the screen to fetch what it has fetched itself.
func (c *Console) refresh() tea.Cmd {
	if c.live == nil {
		return c.openSession("")
	}
	c.live.Refresh()
	c.live.asked = time.Time{}
	return c.tellScreen(screen.Reload{})
}

// toggleReadOnly refuses every change from now on, or allows them again.
func (c *Console) toggleReadOnly() tea.Cmd {
	c.env.ReadOnly = !c.env.ReadOnly
	text := "changes are allowed again"
	if c.env.ReadOnly {
		text = "read-only: every change is refused"
	}
	c.say(screen.Say{Text: text})
	return nil
}

// whyReadOnly: what the configuration forbids, no key allows.
func (c *Console) whyReadOnly() string {
	if c.env.Session != nil && c.env.Session.Context.ReadOnly {
		return fmt.Sprintf("context %s is read-only by its configuration; --read-only=false lifts that",
			models.Printable(c.env.Session.Context.Name))
	}
	return ""
}

func (c *Console) readOnlyText() string {
	if why := c.whyReadOnly(); why != "" {
		return why
	}
	return "read-only; ctrl+o allows changes again"
}
