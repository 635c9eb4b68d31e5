package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/ignition/prepare"
	"ironworks/session"
	"ironworks/ui/screen"
)

// consoleRamdisks builds ramdisks for the console, and stops its servers when the console ends.
type consoleRamdisks struct {
	session.Ramdisks
	console *consoleHost
}

func (c *consoleHost) ramdisks(s *session.Session, keep session.LineRecorder) screen.Ramdisks {
	return &consoleRamdisks{session.Ramdisks{Host: c.app.host(), Session: s, Record: keep}, c}
}

// Serve starts a server.
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

// stopServing stops all servers.
func (c *consoleHost) stopServing() {
	c.mu.Lock()
	all := c.serving
	c.mu.Unlock()
	for _, s := range all {
		s.Stop()
	}
}

// fileArgument accepts one argument that is an existing file. It reports a missing file as an unknown command, unless
// the argument looks like a path.
func fileArgument(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	info, err := os.Stat(args[0])
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a directory: want a file to check", args[0])
	case err == nil && len(args) == 1:
		return nil
	case err == nil:
		return errors.New("want one file to check")
	case strings.ContainsAny(args[0], "./"):
		return err // the argument is a path, not a mistyped command
	}
	return unknownCommand(cmd, args[0])
}
