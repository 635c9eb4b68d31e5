package session

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"ironworks/agentlog"
	"ironworks/audit"
	"ironworks/config"
	"ironworks/fleet"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
)

// Live is a session with the live picture of all nodes: what the console shows.
type Live struct {
	*Session
	Store   *fleet.Store
	Journal *journal.Journal
	Runner  *provision.Runner
	Changes *audit.Changes
	// Logs follows the logs of ramdisks, and BMCs asks BMCs; nil where the configuration of
	// that is wrong, which was told.
	Logs agentlog.Follower
	BMCs *BMCs
	// Keep keeps lines of ramdisks' logs, and what they tell of boots.
	Keep LineKeeper

	// Poller is asked for a closer look; Run is the session's own.
	*fleet.Poller

	consoles *provision.Consoles
	cancel   context.CancelFunc
	running  sync.WaitGroup
}

// Live begins the live picture; nothing is asked before [Live.Run]. Pushed journals are taken
// where the context says so, whoever looks or not. What could not be left as it was found is
// told by left.
func (s *Session) Live(ctx context.Context, book audit.Writer, left func(text string)) *Live {
	changes, err := audit.ReadChanges(s.Files.Audit, s.Context.Name, book, time.Now)
	if err != nil {
		s.complain(err)
	}
	l := &Live{Session: s, Store: fleet.NewStore(), Changes: changes, Runner: s.Runner(changes), Journal: s.Journal(ctx)}
	l.Poller = fleet.NewPoller(s.Client, l.Store, fleet.Options{Clock: s.Clock, Fields: extraFields(s.Context.Defaults)})
	l.Keep = linesHeard(l.Journal, l.Store)
	l.consoles = provision.NewConsoles(s.Client, l.Runner, func(text string) {
		s.told(text)
		left(text)
	})
	receiving, cancel := context.WithCancel(ctx)
	l.cancel = cancel
	way := LogsWay{Address: LastAgent(l.Store), Push: l.receive(receiving), Serial: l.consoles, ServerClock: func() (time.Duration, bool) {
		status := l.Store.Status()
		return status.Skew, !status.Answered.IsZero()
	}}
	if follower, err := s.Follower(way); err == nil {
		l.Logs = Kept(follower, l.Keep)
	} else {
		s.complain(err)
	}
	if l.BMCs, err = s.newBMCs(); err != nil {
		s.complain(err)
	}
	return l
}

// receive takes pushed journals where the context says so. The console goes on without them.
func (l *Live) receive(ctx context.Context) agentlog.Subscriber {
	if l.Context.Logs.Listen == "" {
		return nil
	}
	receiver, err := l.Receiver()
	if err != nil {
		l.complain(err)
		return nil
	}
	l.running.Go(func() { l.keepReceiving(ctx, receiver, l.Context.Logs.Listen) })
	l.running.Go(func() {
		for b := range receiver.Subscribe(ctx, models.NodeRef{}) {
			l.Keep(b.Lines)
		}
	})
	return receiver
}

// Run keeps the Store up to date until ctx ends, and keeps what happens in the journal.
func (l *Live) Run(ctx context.Context, notify func(fleet.Update)) error {
	return l.Poller.Run(ctx, func(u fleet.Update) {
		l.Journal.Note(UpdateRecords(l.Store, u))
		notify(u)
	})
}

// Explain says what is the matter with a node; bmc is what its BMC said, nil where it was not
// asked.
func (l *Live) Explain(ctx context.Context, uuid string, bmc *explain.BMCFacts) (*provision.Explained, error) {
	sources := provision.ExplainSources{Changes: l.Changes.Of, Ports: l.Client.Ports, Agent: agentlog.AskAgent}
	return ExplainSeen(ctx, l.Client, l.Store, l.Journal, sources, uuid, bmc)
}

// GiveBack disables the serial consoles that were enabled from here.
func (l *Live) GiveBack(ctx context.Context) {
	const within = 40 * time.Second
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer stop()
	_ = l.consoles.Close(ctx) // it is told of
}

// Close ends it, and drops the connection.
func (l *Live) Close(ctx context.Context) {
	l.cancel()
	l.running.Wait()
	l.GiveBack(ctx)
	l.Session.Close()
	l.Journal.Close()
}

// extraFields are the API fields that the configured columns and filter need.
func extraFields(d config.Defaults) []string {
	var fields []string
	for _, key := range append(slices.Clone(d.Columns), strings.TrimPrefix(d.Sort, "-")) {
		if col, err := explain.FindColumn(key); err == nil && col.Field != "" {
			fields = append(fields, col.Field)
		}
	}
	if f, err := models.ParseFilter(d.Filter); err == nil {
		fields = append(fields, f.Fields()...)
	}
	return fields
}
