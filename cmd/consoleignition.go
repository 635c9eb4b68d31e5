package cmd

import (
	"context"

	"ironworks/ignition/prepare"
	"ironworks/session"
	"ironworks/ui/screen"
)

// consoleRamdisks builds ramdisks for the console. It keeps track of the servers that it starts, so that they can be
// stopped when the console ends.
type consoleRamdisks struct {
	session.Ramdisks
	console *consoleHost
}

func (c *consoleHost) ramdisks(s *session.Session, keep session.LineRecorder) screen.Ramdisks {
	return &consoleRamdisks{session.Ramdisks{Host: c.app.Host(), Session: s, Record: keep}, c}
}

// Serve starts a server, and registers it to be stopped when the console ends.
func (r *consoleRamdisks) Serve(ctx context.Context, of prepare.ConfigSource, order prepare.ServeOrder) (screen.Serving, error) {
	s, err := r.Ramdisks.Serve(ctx, of, order)
	if err != nil {
		return nil, err
	}
	r.console.mu.Lock()
	defer r.console.mu.Unlock()
	r.console.serving = append(r.console.serving, s)
	return s, nil
}

// stopServing stops the servers that consoleRamdisks.Serve has started.
func (c *consoleHost) stopServing() {
	c.mu.Lock()
	all := c.serving
	c.mu.Unlock()
	for _, s := range all {
		s.Stop()
	}
}
