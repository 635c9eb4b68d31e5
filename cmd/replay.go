package cmd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/replay"
	"ironworks/session"
	"ironworks/ui"
	"ironworks/ui/screen"
)

// replayFlags are those of replay.
type replayFlags struct {
	consoleFlags
	speed  float64
	at     string
	paused bool
}

func (a *app) replayCommand() *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Play back what was kept of nodes, on the same screens",
		Long: "Play a recording that ironworks journal export made: states, steps and the log of the ramdisk, on\n" +
			"the screens of the console. It can be stopped, sped up and wound; every screen says REPLAY.\n" +
			"Nothing is asked or changed while it plays, neither Ironic nor machines.",
		Example: "  ironworks journal export n1 --since 12h --file n1.ironworks\n  ironworks replay n1.ironworks --speed 8",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("replay: want one FILE, a recording that ironworks journal export made")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.replay(cmd, &flags, args[0]) },
	}
	f := cmd.Flags()
	f.Float64Var(&flags.speed, "speed", 1, "play this many times as fast, 0.01 to 10000")
	f.StringVar(&flags.at, "at", "", "begin there: 10m after its beginning, or a time as in 2026-03-14T14:00:00Z")
	f.BoolVar(&flags.paused, "paused", false, "begin standing")
	flags.registerLook(f)
	return cmd
}

func (a *app) replay(cmd *cobra.Command, flags *replayFlags, path string) error {
	if flags.speed < 0.01 || flags.speed > 10_000 {
		return usagef("--speed %g: want 0.01 to 10000", flags.speed)
	}
	if err := flags.checkLook(); err != nil {
		return err
	}
	slow := time.AfterFunc(time.Second, func() { a.complain("reading %s…", path) })
	player, rec, err := openRecording(path, flags.speed)
	slow.Stop()
	if err != nil {
		return err
	}
	if err := begin(player, flags); err != nil {
		return err
	}
	if err := a.needsTerminal(); err != nil {
		return err
	}
	where := screen.Context{Name: cmp.Or(rec.Context, "recording"), Source: path, Endpoint: "recording", ReadOnly: true, Lab: rec.Lab, Current: true}
	return a.show(cmd, &flags.consoleFlags, ui.Options{
		Contexts: []screen.Context{where}, ReadOnly: true,
		Open:  func(string, func(string)) (*screen.Session, error) { return replaySession(where, player), nil },
		Probe: func(ctx context.Context, _ string) (screen.Health, error) { return screen.Health{}, ctx.Err() },
	})
}

// openRecording reads a recording and makes a player of it.
func openRecording(path string, speed float64) (*replay.Player, *replay.Recording, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names it
	if err != nil {
		return nil, nil, fmt.Errorf("replay: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	rec, err := replay.Read(bufio.NewReader(f))
	var player *replay.Player
	if err == nil {
		player, err = replay.New(rec, clock{}, speed)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("replay %s: %w", models.Printable(path), err)
	}
	return player, rec, nil
}

// begin goes to where it is to begin.
func begin(player *replay.Player, flags *replayFlags) error {
	s := player.State()
	at := s.From
	if flags.at != "" {
		d, err := time.ParseDuration(flags.at)
		if err == nil {
			at = s.From.Add(d)
		} else if at, err = time.Parse(time.RFC3339, flags.at); err != nil {
			return usagef("--at %q: want 10m, or a time as in 2026-03-14T14:00:00Z", models.Printable(flags.at))
		}
	}
	if at.Before(s.From) || at.After(s.To) {
		return usagef("--at %s: the recording is of %s to %s", models.Printable(flags.at), s.From.UTC().Format(time.RFC3339), s.To.UTC().Format(time.RFC3339))
	}
	player.Seek(at)
	player.Pause(flags.paused)
	return nil
}

// replaySession shows a recording in the place of an Ironic.
func replaySession(where screen.Context, player *replay.Player) *screen.Session {
	answers := player.Answers()
	return &screen.Session{
		Context: where, Store: player.Store(), API: answers, Journal: answers, Logs: player, Replay: player, Poller: player,
		Explain: func(ctx context.Context, uuid string, bmc *explain.BMCFacts) (*provision.Explained, error) {
			return session.ExplainSeen(ctx, answers, player.Store(), answers, provision.ExplainSources{}, uuid, bmc)
		},
		Runner: provision.Runner{API: answers, Audit: noAudit{}, Clock: clock{}, Context: where.Name, ReadOnly: true},
		Close:  func() {},
	}
}

// noAudit is for who does nothing.
type noAudit struct{}

// Write refuses.
func (noAudit) Write(audit.Record) error {
	return errors.New("a recording plays: nothing is done")
}
