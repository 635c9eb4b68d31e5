package cmd

import (
	"context"
	"errors"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/provision"
)

// serialWithin is how long the console waits at its end for consoles to be disabled again.
const serialWithin = 40 * time.Second

// lendConsoles lends the serial consoles of a session. What is left enabled is noticed, and
// told on the terminal once the screen is gone.
func (c *consoleHost) lendConsoles(client *ironicclient.Client, runner provision.Runner, notice func(text string)) *provision.Consoles {
	consoles := provision.NewConsoles(client, &runner, func(text string) {
		notice(text)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.left = append(c.left, text)
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lent = append(c.lent, consoles)
	return consoles
}

// closeConsoles disables what a session has enabled.
func (c *consoleHost) closeConsoles(consoles *provision.Consoles) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(c.cmd.Context()), serialWithin)
	defer stop()
	_ = consoles.Close(ctx) // it is told of
}

// giveBack waits until all sessions have, for the screen does not wait long, and says what
// could not be undone.
func (c *consoleHost) giveBack() {
	long := time.AfterFunc(time.Second, func() { c.app.complain("waiting until the serial console is disabled again") })
	defer long.Stop()
	c.mu.Lock()
	lent := c.lent
	c.mu.Unlock()
	for _, consoles := range lent {
		c.closeConsoles(consoles)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range c.left {
		c.app.complain("%s", text)
	}
}

// serialNeeds says what --source serial lacks.
func serialNeeds(nodes []string, follow bool) error {
	switch {
	case len(nodes) == 0:
		return errors.New("--source serial: whose console? name a NODE")
	case !follow:
		return errors.New("--source serial: a serial console keeps nothing; -f follows what comes from now on")
	}
	return nil
}

// lends is a Consoles for a command, which complains of what is left enabled.
func (a *app) lends(s *session) *provision.Consoles {
	runner := newRunner(s)
	runner.Audit = &lateAudit{path: s.files.Audit}
	return provision.NewConsoles(s.client, runner, func(text string) { a.complain("%s", models.Printable(text)) })
}
