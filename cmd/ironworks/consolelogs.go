package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ironworks/agentlog"
	"ironworks/config"
	"ironworks/fleet"
	"ironworks/ironicclient"
	"ironworks/ui/screen"
)

// logs gives a session what follows logs of ramdisks. Pushed journals are taken as long
// as the session polls.
func (c *consoleHost) logs(s *screen.Session, client *ironicclient.Client, x *config.Context, notice func(text string)) {
	way := logsWay{address: lastAgent(s.Store), clock: func() (time.Duration, bool) {
		status := s.Store.Status()
		return status.Skew, !status.Answered.IsZero()
	}}
	if receiver, err := c.receiver(client); err != nil {
		notice(err.Error())
	} else if receiver != nil {
		way.push = receiver
		c.receiveWhilePolling(s, receiver, notice)
	}
	follower, err := c.app.follower(x, way)
	if err != nil {
		notice(err.Error()) // it says what is wrong with the context's logs
		return
	}
	s.Logs = follower
}

// receiver has the pushed journals; nil where nobody wants any, because nothing is to
// listen and no image was ever made that sends one.
func (c *consoleHost) receiver(client *ironicclient.Client) (*agentlog.Receiver, error) {
	folder := c.app.files.Pushes()
	if _, err := os.Stat(filepath.Join(folder, "receiver.pem")); c.listen == "" && (folder == "" || err != nil) {
		return nil, nil //nolint:nilnil // none is wanted
	}
	return agentlog.NewReceiver(agentlog.PushOptions{Dir: folder, Owner: newPushOwners(client, clock{}.Now).owner})
}

func (c *consoleHost) receiveWhilePolling(s *screen.Session, receiver *agentlog.Receiver, notice func(text string)) {
	if c.listen == "" {
		return
	}
	poll := s.Poll
	s.Poll = func(ctx context.Context, notify func(fleet.Update)) error {
		var serving sync.WaitGroup
		defer serving.Wait()
		ctx, end := context.WithCancel(ctx)
		defer end()
		serving.Go(func() { serveJournals(ctx, receiver, c.listen, notice) })
		return poll(ctx, notify)
	}
}

// serveJournals takes journals until ctx ends. The session before this one may not have
// left the address yet.
func serveJournals(ctx context.Context, receiver *agentlog.Receiver, address string, notice func(text string)) {
	const tries, pause = 10, 500 * time.Millisecond
	var config net.ListenConfig
	for try := range tries {
		listener, err := config.Listen(ctx, "tcp", address)
		if err == nil {
			err = receiver.Serve(ctx, listener)
		}
		switch {
		case ctx.Err() != nil:
			return
		case try == tries-1:
			notice(fmt.Sprintf("--listen: pushed journals are not taken: %v", err))
		}
		select {
		case <-ctx.Done():
		case <-clock{}.After(pause):
		}
	}
}
