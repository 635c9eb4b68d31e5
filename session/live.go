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
	"ironworks/models/filter"
	"ironworks/provision"
)

// Live is a session with live data of all nodes, for the console.
type Live struct {
	*Session
	Store   *fleet.Store
	Journal *journal.Journal
	Runner  *provision.Runner
	Changes *audit.Changes
	// Logs follows ramdisk logs, and BMCs queries BMCs. A field is nil if its configuration is invalid; the session
	// then reports the error. BMCs is also nil for a read-only member of a [Shared].
	Logs agentlog.Follower
	BMCs *BMCs
	// Shells opens SSH shells on machines, with the same settings as Logs.
	Shells *Shells
	// Consoles opens serial and graphical consoles; [Live.GiveBack] closes them at the latest. It is nil for a member
	// of a [Shared], because members share a session.
	Consoles *provision.Consoles
	// Record records lines of ramdisk logs in the journal, and updates Store with the boot progress in these lines.
	Record LineRecorder

	// Poller keeps Store up to date, and reads single nodes on request. Only [Live.Run] runs it.
	*fleet.Poller

	cancel  context.CancelFunc
	running sync.WaitGroup
}

// Live returns a live session. It sends nothing before [Live.Run]. It receives pushed journals if the context
// configures this, even if no screen shows them. left is called for each console that could not be restored.
func (s *Session) Live(ctx context.Context, log audit.Writer, left func(text string)) *Live {
	changes, err := audit.ReadChanges(s.Files.Audit, s.Context.Name, log)
	if err != nil {
		s.reportError(err)
	}
	l := &Live{Session: s, Store: fleet.NewStore(), Changes: changes, Runner: s.Runner(changes), Journal: s.Journal(ctx)}
	l.Poller = fleet.NewPoller(s.Client, l.Store, fleet.Options{Fields: extraFields(s.Context.Defaults, s.Context.Filters)})
	l.Record = recordAndShow(l.Journal, l.Store)
	l.Consoles = provision.NewConsoles(s.Client, l.Runner, func(text string) {
		s.report(text)
		left(text)
	})
	receiving, cancel := context.WithCancel(ctx)
	l.cancel = cancel
	trust := agentlog.NewTrust()
	l.Shells = s.newShells(l.Runner, trust, lastAgent(l.Store))
	settings := agentlog.Options{Address: lastAgent(l.Store), Trust: trust, Push: l.receive(receiving), Serial: l.Consoles, ServerClock: serverClock(l.Store)}
	if follower, err := s.Follower(settings); err == nil {
		l.Logs = withRecording(follower, l.Record)
	} else {
		s.reportError(err)
	}
	if l.BMCs, err = s.newBMCs(); err != nil {
		s.reportError(err)
	}
	return l
}

// receive starts receiving pushed journals and returns their receiver. It returns nil if the context does not
// configure this, or if it fails. The console works without pushed journals.
func (l *Live) receive(ctx context.Context) agentlog.Subscriber {
	if l.Context.Logs.Listen == "" {
		return nil
	}
	receiver, err := l.Receiver()
	if err != nil {
		l.reportError(err)
		return nil
	}
	l.running.Go(func() { l.keepReceiving(ctx, receiver, l.Context.Logs.Listen) })
	l.running.Go(func() {
		for b := range receiver.Subscribe(ctx, models.NodeRef{}) {
			l.Record(b.Lines)
		}
	})
	return receiver
}

// Run keeps the Store and the journal up to date until ctx is done. It passes each update to notify.
func (l *Live) Run(ctx context.Context, notify func(fleet.Update)) error {
	return l.Poller.Run(ctx, func(u fleet.Update) {
		l.Journal.Record(UpdateRecords(l.Store, u))
		notify(u)
	})
}

// Explain explains the state of the node with the given UUID. bmc is nil if the node's BMC was not queried.
func (l *Live) Explain(ctx context.Context, uuid string, bmc *explain.BMCFacts) (*provision.Explained, error) {
	sources := provision.ExplainSources{Changes: l.Changes.ForNode, Ports: l.Client.Ports, Agent: agentlog.ProbeAgent}
	return ExplainSeen(ctx, l.Client, l.Store, l.Journal, sources, uuid, bmc)
}

// GiveBack disables all consoles that this session has enabled. It takes at most 40 s.
func (l *Live) GiveBack(ctx context.Context) {
	const within = 40 * time.Second
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer stop()
	_ = l.Consoles.Close(ctx) // errors were reported already
}

// Close ends the session and drops the connection.
func (l *Live) Close(ctx context.Context) {
	l.cancel()
	l.running.Wait()
	l.GiveBack(ctx)
	l.Session.Close()
	l.Journal.Close()
}

// extraFields returns the API fields that the configured columns, sort order and filter need.
func extraFields(d config.Defaults, saved *filter.Saved) []string {
	var fields []string
	for _, key := range append(slices.Clone(d.Columns), strings.TrimPrefix(d.Sort, "-")) {
		if col, err := explain.FindColumn(key); err == nil && col.Field != "" {
			fields = append(fields, col.Field)
		}
	}
	if f, err := saved.Parse(d.Filter); err == nil {
		fields = append(fields, f.Fields()...)
	}
	return fields
}
