package session

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"ironworks/agentlog"
	"ironworks/fleet"
	"ironworks/models"
)

// LogsWay is what of a follower depends on who follows; the rest is the context's.
type LogsWay struct {
	// Address is where a node's ramdisk is, empty where nobody knows.
	Address func(models.NodeRef) string
	// Push has journals that are pushed, Serial lends serial consoles; either may be nil.
	Push   agentlog.Subscriber
	Serial agentlog.SerialConsoles
	// ServerClock is how far Ironic's clock is ahead, once it was heard; may be nil.
	ServerClock func() (time.Duration, bool)
	// Sources and Archive take the place of the context's where they are not empty.
	Sources []models.LogSource
	Archive string
	// Since leaves out what is older; Once ends with what there is.
	Since time.Time
	Once  bool
}

// Follower follows logs as the context's configuration says.
func (s *Session) Follower(w LogsWay) (agentlog.Follower, error) {
	of := &s.Context.Logs
	o := agentlog.Options{
		Sources: of.Sources, Address: w.Address, Push: w.Push, Serial: w.Serial, Archive: of.Archive, Since: w.Since, Once: w.Once, ServerClock: w.ServerClock,
		SSH: agentlog.SSHOptions{
			User: of.SSH.User, Port: of.SSH.Port, Keys: of.SSH.Keys, Jump: of.SSH.Jump, Config: of.SSH.Config,
			Home: s.Home, Agent: s.Variable("SSH_AUTH_SOCK"),
		},
	}
	if len(w.Sources) > 0 {
		o.Sources = w.Sources
	}
	if w.Archive != "" {
		o.Archive = w.Archive
	}
	// Without the folder no image with a host key was made here.
	if images, err := agentlog.OpenImages(s.Files.Pushes(), s.Clock.Now); err == nil {
		o.SSH.HostKeys = images.HostKeys
	}
	return agentlog.New(o)
}

// LastAgent gives the address that a node's agent told last: Ironic forgets it at the end
// of a deployment, and of a failed one.
func LastAgent(store *fleet.Store) func(models.NodeRef) string {
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

// Receiver has the journals that machines push; nothing listens yet.
func (s *Session) Receiver() (*agentlog.Receiver, error) {
	return agentlog.NewReceiver(agentlog.PushOptions{Dir: s.Files.Pushes(), Owner: newPushOwners(s.Client, s.Clock.Now).owner})
}

// Receive takes the journals that machines push, until ctx ends, and says where; ended
// is told how it ended, if that was too early.
func (s *Session) Receive(ctx context.Context, address string, ended func(error), running *sync.WaitGroup) (*agentlog.Receiver, net.Addr, error) {
	receiver, err := s.Receiver()
	if err != nil {
		return nil, nil, err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, nil, fmt.Errorf("taking pushed journals: %w", err)
	}
	running.Go(func() {
		if err := receiver.Serve(ctx, listener); err != nil {
			ended(err)
		}
	})
	return receiver, listener.Addr(), nil
}

// keepReceiving takes journals until ctx ends. The session before this one may not have left the
// address yet, and another console may leave it some day: it is tried again, and told of
// once.
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
			s.complain(fmt.Errorf("pushed journals are not taken at %s: %w", address, err))
		}
		if try >= often {
			pause = later
		}
		select {
		case <-ctx.Done():
			return
		case <-s.Clock.After(pause):
		}
	}
}
