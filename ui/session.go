package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/fleet"
	"ironworks/mailbox"
	"ironworks/models"
	"ironworks/ui/screen"
)

type liveSession struct {
	*screen.Session
	number int
	ctx    context.Context //nolint:containedctx // it is the life of the session
	cancel context.CancelFunc
	feed   *mailbox.Box[sessionReport]
	// revision is the revision of the store at the last update.
	revision uint64
	// conductorsAsked is the time when the conductors were last requested.
	conductorsAsked   time.Time
	readingConductors bool
	views             viewKeeper
	// openedConnect means that the Connect screen was opened because Ironic has not responded yet.
	openedConnect bool
}

// knows reports whether update u contains nothing that has to be drawn at once. If the only change is that Ironic has
// responded again, knows returns true, because the next tick shows it anyway.
func (l *liveSession) knows(u *fleet.Update, before *fleet.Status) bool {
	now := &u.Status
	return u.Revision == l.revision && len(u.Events) == 0 && len(u.Works) == 0 && !u.Rewound &&
		before.Connected && now.Connected && before.Complete == now.Complete && before.Behind == now.Behind && before.Total == now.Total
}

type sessionOpened struct {
	number  int
	feed    *mailbox.Box[sessionReport]
	session *screen.Session
	err     error
}

type (
	// polled carries reports of a session.
	polled struct {
		number int
		sessionReport
	}
	// pollEnded reports that the poller of a session has ended. It makes a console quit that has crashed in View.
	pollEnded struct{}
	// conductorsSeen carries the result of listing the conductors.
	conductorsSeen struct {
		number int
		list   []models.Conductor
		failed bool
	}
)

// sessionReport collects a session's reports until the console reads them. update is nil if there was no poll.
type sessionReport struct {
	update  *fleet.Update
	notices []string
}

func push(m *mailbox.Box[sessionReport]) func(fleet.Update) {
	return func(u fleet.Update) {
		m.Put(func(n *sessionReport) {
			if n.update != nil {
				if !u.Rewound { // after a jump in a recording, earlier events are void
					u.Events = append(n.update.Events, u.Events...)
				}
				u.Rewound = u.Rewound || n.update.Rewound
			}
			n.update = &u
		})
	}
}

func notice(m *mailbox.Box[sessionReport]) func(text string) {
	return func(text string) {
		m.Put(func(n *sessionReport) { n.notices = append(n.notices, text) })
	}
}

// openSession opens the context with the given name, or the current context if name is "".
func (c *Console) openSession(name string) tea.Cmd {
	c.sessions++
	number, open, feed, save := c.sessions, c.opts.Open, mailbox.New[sessionReport](), c.saveView()
	return func() tea.Msg {
		if err := save(); err != nil { // save first, because open reads the saved view
			notice(feed)(models.OnScreen(err))
		}
		s, err := open(name, notice(feed))
		return sessionOpened{number: number, feed: feed, session: s, err: err}
	}
}

func (c *Console) isCurrent(session int) bool { return c.live != nil && session == c.live.number }

// sessionOpened replaces the current session with the new one. If opening it has failed, it shows the error.
func (c *Console) sessionOpened(msg sessionOpened) tea.Cmd {
	if msg.number != c.sessions {
		if msg.session != nil {
			msg.session.Close() // another session has been requested since
		}
		return nil
	}
	if msg.err != nil {
		c.Say(screen.Say{Level: screen.Failure, Text: models.OnScreen(msg.err)})
		if c.history.front() == nil {
			return tea.Batch(c.Open(screen.Ref{Kind: screen.KindConnect}), c.openFile())
		}
		return nil
	}
	if c.live != nil {
		c.live.cancel()
	}
	ctx, cancel := context.WithCancel(c.ctx)
	c.live = &liveSession{Session: msg.session, number: msg.number, ctx: ctx, cancel: cancel, feed: msg.feed, views: newViewKeeper(msg.session)}
	c.env.Session = msg.session
	c.recall(msg.session.View.Entered)
	c.env.Status, c.env.Conductors = fleet.Status{}, nil
	c.env.Started = time.Now()
	c.env.ReadOnly = c.opts.ReadOnly || msg.session.Context.ReadOnly
	c.env.Events, c.env.Watching, c.env.Installs = &screen.EventLog{}, &screen.WatchList{}, &screen.Installs{}
	c.headline = headline{}
	for i := range c.env.Contexts {
		c.env.Contexts[i].Current = c.env.Contexts[i].Name == msg.session.Context.Name
	}
	c.restyle()
	c.history.closeAll()
	c.history = history{}
	return tea.Batch(c.poll(c.live), c.listen(c.live), c.Open(screen.Ref{Kind: screen.KindFleet}), c.openFile(), c.tasks.WarnInterrupted(msg.session))
}

func (c *Console) poll(l *liveSession) tea.Cmd {
	c.running.Add(1)
	return func() tea.Msg {
		defer c.running.Done()
		defer l.Close()
		_ = l.Run(l.ctx, push(l.feed)) // Run returns when its context is canceled; the callback receives the faults
		return pollEnded{}
	}
}

func (c *Console) listen(l *liveSession) tea.Cmd {
	return func() tea.Msg {
		u, ok := l.feed.Take(l.ctx)
		if !ok {
			return nil
		}
		return polled{number: l.number, sessionReport: u}
	}
}

func (c *Console) polled(n sessionReport) tea.Cmd {
	for _, text := range n.notices {
		c.Say(screen.Say{Level: screen.Warning, Text: text})
	}
	if n.update == nil {
		return c.listen(c.live)
	}
	u := *n.update
	c.unchanged = c.resting() && len(n.notices) == 0 && c.live.knows(&u, &c.env.Status)
	c.live.revision = u.Revision
	c.env.Status = u.Status
	var again tea.Cmd
	if u.Rewound {
		again = c.rewound()
	}
	c.env.Events.Add(u.Events)
	c.headline.update(u.Status)
	now := time.Now()
	return tea.Batch(again, c.listen(c.live), c.dueConductors(now), c.SendToScreen(screen.FleetChanged{Update: u}), c.guide(u.Status), c.reopen())
}

// guide opens the Connect screen if Ironic has never responded, and returns to the fleet when it first responds.
func (c *Console) guide(s fleet.Status) tea.Cmd {
	front := c.history.front()
	switch {
	case s.Fault != nil && s.Answered.IsZero() && !c.live.openedConnect:
		c.live.openedConnect = true
		if front != nil && front.Ref().Kind == screen.KindFleet {
			return c.Open(screen.Ref{Kind: screen.KindConnect})
		}
	case s.Connected && c.live.openedConnect:
		c.live.openedConnect = false
		if front != nil && front.Ref().Kind == screen.KindConnect && len(c.overlays) == 0 {
			return c.Home(screen.KindFleet)
		}
	}
	return nil
}

// conductorsEvery is the interval at which the conductors are listed. Each listing takes one small request.
const conductorsEvery = time.Minute

// dueConductors returns a command that lists the conductors, or nil if that is not due or not possible.
func (c *Console) dueConductors(now time.Time) tea.Cmd {
	l := c.live
	if l == nil || l.Replay != nil || l.readingConductors || !c.env.Status.Connected {
		return nil
	}
	if !c.env.Status.Complete || (!l.conductorsAsked.IsZero() && now.Sub(l.conductorsAsked) < conductorsEvery) {
		return nil
	}
	l.conductorsAsked, l.readingConductors = now, true
	return func() tea.Msg {
		list, err := l.API.Conductors(l.ctx)
		return conductorsSeen{number: l.number, list: list, failed: err != nil} // faults are reported by the poller
	}
}

// refresh polls at once and makes the current screen fetch its data again. Without a session, it opens one.
func (c *Console) refresh() tea.Cmd {
	if c.live == nil {
		return c.openSession("")
	}
	c.live.Refresh()
	c.live.conductorsAsked = time.Time{}
	return c.SendToScreen(screen.Reload{})
}

func (c *Console) toggleReadOnly() tea.Cmd {
	c.env.ReadOnly = !c.env.ReadOnly
	text := "read-only mode off"
	if c.env.ReadOnly {
		text = "read-only mode on"
	}
	c.Say(screen.Say{Text: text})
	return nil
}
