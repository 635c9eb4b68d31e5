// Package receiver is a console that takes pushed journals, which tests end and start
// again.
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

// Console receives at one address. It ends with its test.
type Console struct {
	*agentlog.Receiver
	// Options are what it starts with, and Address is where it listens, HOST:PORT.
	Options agentlog.PushOptions
	Address string

	t    testing.TB
	stop func()
}

// Start starts one for some machines.
func Start(t testing.TB, machines ...agentlog.Machine) *Console {
	t.Helper()
	return With(t, agentlog.PushOptions{Dir: t.TempDir(), Owner: func(_ context.Context, s agentlog.Sender) (agentlog.Owner, error) {
		return agentlog.OwnerAmong(machines, s)
	}})
}

// With starts one with options.
func With(t testing.TB, o agentlog.PushOptions) *Console {
	t.Helper()
	c := &Console{Options: o, Address: "127.0.0.1:0", t: t}
	c.Start()
	t.Cleanup(c.Stop)
	return c
}

// Start begins to receive, and again after Stop, at the same address.
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

// Stop ends it; twice is once.
func (c *Console) Stop() { c.stop() }

// Lines gives what came of a node once that is enough.
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
		c.t.Fatalf("not enough: %d lines, the last one is %q; refused: %s", len(lines), last, refused)
	}
	return lines
}
