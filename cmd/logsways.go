package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"time"

	"ironworks/agentlog"
	"ironworks/config"
	"ironworks/fleet"
	"ironworks/ironicclient"
	"ironworks/models"
)

// logsWay is what of a follower depends on who follows; the rest is the context's.
type logsWay struct {
	address func(models.NodeRef) string
	push    agentlog.Subscriber
	serial  agentlog.SerialConsoles
	clock   func() (time.Duration, bool)
	// sources and archive take the place of the context's where they are not empty.
	sources []models.LogSource
	archive string
	since   time.Time
	once    bool
}

// follower follows logs as a context's configuration says.
func (a *app) follower(x *config.Context, w logsWay) (agentlog.Follower, error) {
	o := agentlog.Options{
		Sources: x.Logs.Sources, Address: w.address, Push: w.push, Serial: w.serial, Archive: x.Logs.Archive, Since: w.since, Once: w.once, ServerClock: w.clock,
		SSH: agentlog.SSHOptions{
			User: x.Logs.SSH.User, Port: x.Logs.SSH.Port, Keys: x.Logs.SSH.Keys, Jump: x.Logs.SSH.Jump, Config: x.Logs.SSH.Config,
			Home: a.options.Home, Agent: a.sshAgent(),
		},
	}
	if len(w.sources) > 0 {
		o.Sources = w.sources
	}
	if w.archive != "" {
		o.Archive = w.archive
	}
	// Without the folder no image with a host key was made here.
	if images, err := agentlog.OpenImages(a.files.Pushes(), clock{}.Now); err == nil {
		o.SSH.HostKeys = images.HostKeys
	}
	return agentlog.New(o)
}

// lastAgent gives the address that a node's agent told last: Ironic forgets it at the end
// of a deployment, and of a failed one.
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

// receiver has the journals that machines push; nothing listens yet.
func (a *app) receiver(client *ironicclient.Client) (*agentlog.Receiver, error) {
	return agentlog.NewReceiver(agentlog.PushOptions{Dir: a.files.Pushes(), Owner: newPushOwners(client, clock{}.Now).owner})
}

// receive takes the journals that machines push, until ctx ends, and says where; ended
// is told how it ended, if that was too early.
func (a *app) receive(
	ctx context.Context, client *ironicclient.Client, address string, ended func(error), running *sync.WaitGroup,
) (*agentlog.Receiver, net.Addr, error) {
	receiver, err := a.receiver(client)
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
func keepReceiving(ctx context.Context, receiver *agentlog.Receiver, address string, notice func(text string)) {
	const soon, often, later = 500 * time.Millisecond, 6, 5 * time.Second
	var config net.ListenConfig
	for try := 1; ; try++ {
		listener, err := config.Listen(ctx, "tcp", address)
		if err == nil {
			err = receiver.Serve(ctx, listener)
		}
		pause := soon
		if try == often && err != nil && ctx.Err() == nil {
			notice(models.Printable("pushed journals are not taken at " + address + ": " + err.Error()))
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

// printLines writes lines at once, whatever buffers there are.
func (a *app) printLines(lines []models.LogLine) error {
	out := bufio.NewWriter(a.stdout)
	for i := range lines {
		l := &lines[i]
		switch a.output {
		case outputJSON:
			data, err := json.Marshal(l)
			if err != nil {
				return err
			}
			_, _ = out.Write(append(harmlessJSON(data), '\n'))
		case outputYAML:
			if err := writeYAML(out, []*models.LogLine{l}); err != nil {
				return err
			}
		case outputTable, outputName, "":
			fmt.Fprintln(out, l.String())
		}
	}
	return out.Flush()
}
