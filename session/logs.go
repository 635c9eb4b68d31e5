package session

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"ironworks/agentlog"
	"ironworks/audit"
	"ironworks/fleet"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/printable"
	"ironworks/provision"
)

// Follower returns a log follower. The context's configuration provides o.SSH, and o.Sources and o.Archive if they are
// empty.
func (s *Session) Follower(o agentlog.Options) (agentlog.Follower, error) {
	o.SSH = s.sshOptions()
	o.Archive = cmp.Or(o.Archive, s.Context.Logs.Archive)
	if len(o.Sources) == 0 {
		o.Sources = s.Context.Logs.Sources
	}
	return agentlog.New(o)
}

func (s *Session) sshOptions() agentlog.SSHOptions {
	of := &s.Context.Logs.SSH
	o := agentlog.SSHOptions{
		User: of.User, Port: of.Port, Keys: of.Keys, Jump: of.Jump, Config: of.Config, Home: s.Home, Agent: s.Variable("SSH_AUTH_SOCK"),
	}
	// If the folder is missing, no image with a host key was made on this machine.
	if images, err := agentlog.OpenImages(s.Files.Pushes()); err == nil {
		o.HostKeys = images.HostKeys
	}
	return o
}

// lastAgent returns a function that returns the last reported address of a node's agent. Ironic drops the address at
// the end of a deployment, even if the deployment failed.
func lastAgent(store *fleet.Store) func(models.NodeRef) string {
	return func(n models.NodeRef) string {
		row, evidence, there := store.Get(n.UUID)
		switch {
		case !there:
			return ""
		case row.Node.Internal != nil && row.Node.Internal.AgentURL != "":
			return row.Node.Internal.AgentURL
		}
		return evidence.AgentURL
	}
}

// Receiver returns the receiver of pushed journals. The receiver does not listen yet.
func (s *Session) Receiver() (*agentlog.Receiver, error) {
	return agentlog.NewReceiver(agentlog.PushOptions{Dir: s.Files.Pushes(), Owner: newPushOwners(s.Client).owner})
}

// Receive receives pushed journals at address until ctx is done. It returns the receiver and the address at which it
// listens. If receiving fails before ctx is done, ended is called.
func (s *Session) Receive(ctx context.Context, address string, ended func(error), running *sync.WaitGroup) (*agentlog.Receiver, net.Addr, error) {
	receiver, err := s.Receiver()
	if err != nil {
		return nil, nil, err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, nil, fmt.Errorf("receive pushed journals: %w", err)
	}
	running.Go(func() {
		if err := receiver.Serve(ctx, listener); err != nil {
			ended(err)
		}
	})
	return receiver, listener.Addr(), nil
}

// keepReceiving receives journals until ctx is done. It retries, because the previous session or another console may
// still use the address. It reports a persistent failure once.
func (s *Session) keepReceiving(ctx context.Context, receiver *agentlog.Receiver, address string) {
	const soon, often, later = 500 * time.Millisecond, 6, 5 * time.Second
	var config net.ListenConfig
	for try := 1; ; try++ {
		listener, err := config.Listen(ctx, "tcp", address)
		if err == nil {
			err = receiver.Serve(ctx, listener)
		}
		pause := soon
		if try == often && err != nil && ctx.Err() == nil {
			s.reportError(fmt.Errorf("cannot receive pushed journals at %s: %w", address, err))
		}
		if try >= often {
			pause = later
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// LogsOrder selects the logs that a command follows.
type LogsOrder struct {
	// Address is the address of the only node's ramdisk. Archive and Sources may override the context's settings.
	Address, Archive string
	Sources          []models.LogSource
	// Listen is the address, as HOST:PORT, at which pushed journals are received. If it is empty, none are received.
	Listen string
	// Lines before Since are omitted. Without Follow, only the lines that already exist are returned.
	Since  time.Time
	Follow bool
}

// Logs provides the logs of nodes and records them in the journal while they are followed.
type Logs struct {
	// Nodes lists the named nodes, or only the zero NodeRef, for all nodes that push their journals.
	Nodes []models.NodeRef
	// Follow returns the log of one of the nodes until the context passed to [Session.Logs] is done.
	Follow func(n models.NodeRef) <-chan agentlog.Batch

	journal *journal.Journal
	running sync.WaitGroup
}

// Logs starts following the logs of the named nodes. It calls stop if it cannot continue.
func (s *Session) Logs(ctx context.Context, names []string, o LogsOrder, stop context.CancelCauseFunc, report func(text string)) (*Logs, error) {
	found, err := provision.FindNodes(ctx, s.Client, names)
	if err != nil {
		return nil, err
	}
	l := &Logs{Nodes: models.Refs(found), journal: s.Journal(ctx)}
	if err := l.start(ctx, s, found, o, stop, report); err != nil {
		stop(err)
		l.Close()
		return nil, err
	}
	return l, nil
}

func (l *Logs) start(ctx context.Context, s *Session, found []models.Node, o LogsOrder, stop context.CancelCauseFunc, report func(string)) error {
	agents := newAgents(found, o.Address)
	if o.Follow && len(found) > 0 {
		l.running.Go(func() {
			agents.Watch(ctx, s, func(f *models.Fault) {
				report(fmt.Sprintf("connection to Ironic lost: %s; reconnecting every few seconds", f.ReasonAndHint()))
			})
		})
	}
	settings := agentlog.Options{
		Address: agents.Address, Sources: o.Sources, Archive: o.Archive, Since: o.Since, Once: !o.Follow, ServerClock: serverClock(agents.store),
	}
	if o.Listen != "" {
		receiver, at, err := s.Receive(ctx, o.Listen, stop, &l.running)
		if err != nil {
			return err
		}
		report(fmt.Sprintf("receiving pushed journals at %s", at))
		settings.Push = receiver
	}
	if len(found) == 0 {
		l.Nodes = []models.NodeRef{{}}
		l.Follow = func(n models.NodeRef) <-chan agentlog.Batch {
			return recordLines(ctx, RecordIn(l.journal), settings.Push.Subscribe(ctx, n))
		}
		return nil
	}
	runner := s.Runner(&audit.LazyFile{Path: s.Files.Audit})
	settings.Serial = provision.NewConsoles(s.Client, runner, func(text string) { report(printable.Line(text)) })
	follower, err := s.Follower(settings)
	if err != nil {
		return err
	}
	logs := withRecording(follower, RecordIn(l.journal))
	l.Follow = func(n models.NodeRef) <-chan agentlog.Batch { return logs.Follow(ctx, n) }
	return nil
}

// Close waits for the goroutines and closes the journal. The context passed to [Session.Logs] must be done.
func (l *Logs) Close() {
	l.running.Wait()
	l.journal.Close()
}

// agents knows the ramdisk addresses of some nodes: first those from Ironic, which [agents.Watch] updates.
type agents struct {
	first []models.Node
	store *fleet.Store
	given string
}

// newAgents returns the agents of the given nodes. If given is not empty, it overrides the addresses from Ironic.
func newAgents(nodes []models.Node, given string) *agents {
	return &agents{first: nodes, store: fleet.NewStore(), given: given}
}

// Watch updates the addresses until ctx is done. It calls lost each time the connection to Ironic is lost.
func (x *agents) Watch(ctx context.Context, s *Session, lost func(*models.Fault)) {
	uuids := make([]string, len(x.first))
	for i := range x.first {
		uuids[i] = x.first[i].UUID
	}
	gone := false
	poller := fleet.NewPoller(s.Client, x.store, fleet.Options{Only: uuids})
	_ = poller.Run(ctx, func(u fleet.Update) { // Run returns when ctx is done, and reports faults to the callback
		if u.Status.Fault != nil && !gone {
			lost(u.Status.Fault)
		}
		gone = u.Status.Fault != nil
	})
}

// Address returns the address of a node's ramdisk, or "" if it is unknown.
func (x *agents) Address(n models.NodeRef) string {
	if x.given != "" {
		return x.given
	}
	if address := lastAgent(x.store)(n); address != "" {
		return address
	}
	i := slices.IndexFunc(x.first, func(f models.Node) bool { return f.UUID == n.UUID })
	if i < 0 || x.first[i].Internal == nil {
		return ""
	}
	return x.first[i].Internal.AgentURL
}

// serverClock returns the ServerClock function of an [agentlog.Options].
func serverClock(store *fleet.Store) func() (time.Duration, bool) {
	return func() (time.Duration, bool) {
		s := store.Status()
		return s.Skew, !s.Answered.IsZero()
	}
}
