// Package receiver provides a receiver for pushed journals that tests can stop and restart.
package receiver

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
)

// Console receives pushed journals at one address until the test ends.
type Console struct {
	*agentlog.Receiver
	// Options configures the receiver. Address is the HOST:PORT at which it listens.
	Options agentlog.PushOptions
	Address string

	t    testing.TB
	stop func()
}

// Start starts a receiver for the machines.
func Start(t testing.TB, machines ...agentlog.Machine) *Console {
	t.Helper()
	return With(t, agentlog.PushOptions{Dir: t.TempDir(), Owner: func(_ context.Context, s agentlog.Sender) (agentlog.Owner, error) {
		return agentlog.OwnerAmong(machines, s)
	}})
}

// With starts a receiver with the given options.
func With(t testing.TB, o agentlog.PushOptions) *Console {
	t.Helper()
	c := &Console{Options: o, Address: "127.0.0.1:0", t: t}
	c.Start()
	t.Cleanup(c.Stop)
	return c
}

// Start starts the receiver. After Stop, it listens at the same address as before.
func (c *Console) Start() {
	c.t.Helper()
	var err error
	if c.Receiver, err = agentlog.NewReceiver(c.Options); err != nil {
		c.t.Fatal(err)
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(c.t.Context(), "tcp", c.Address)
	if err != nil {
		c.t.Fatal(err)
	}
	c.Address = listener.Addr().String()
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.t.Context()))
	ended := make(chan error, 1)
	serving := c.Receiver
	go func() { ended <- serving.Serve(ctx, listener) }()
	c.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			c.t.Errorf("serving: %v", err)
		}
	})
}

// Stop stops the receiver. Further calls have no effect.
func (c *Console) Stop() { c.stop() }

// Lines waits until enough returns true for a node's lines, and returns them.
func (c *Console) Lines(node models.NodeRef, enough func(lines []models.LogLine) bool) []models.LogLine {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	var lines []models.LogLine
	done := false
	for batch := range c.Subscribe(ctx, node) {
		lines = append(lines, batch.Lines...)
		if done = done || enough(lines); done {
			cancel()
		}
	}
	if !done {
		_, refused := c.Refusals()
		last := ""
		if n := len(lines); n > 0 {
			last = lines[n-1].Text
		}
		c.t.Fatalf("timed out: %d lines, last %q; refused: %s", len(lines), last, refused)
	}
	return lines
}
