package cmd

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/cmd/cli"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/replay"
	"ironworks/session"
	"ironworks/ui"
	"ironworks/ui/screen"
)

// replayFlags holds the flags of the replay command.
type replayFlags struct {
	consoleFlags
	speed  float64
	at     string
	paused bool
}

func (a *app) replayCommand() *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use: "replay FILE",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usagef("replay: give one FILE, a recording made by ironworks journal export or --record")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.replay(cmd, &flags, args[0]) },
	}
	f := cmd.Flags()
	f.Float64Var(&flags.speed, "speed", 1, "playback speed, 0.01 to 10000")
	f.StringVar(&flags.at, "at", "", "start position: 10m from the beginning, or a time as in 2026-03-14T14:00:00Z")
	f.BoolVar(&flags.paused, "paused", false, "start paused")
	flags.registerLook(f)
	return cmd
}

func (a *app) replay(cmd *cobra.Command, flags *replayFlags, path string) error {
	if flags.speed < 0.01 || flags.speed > 10_000 {
		return cli.Usagef("--speed %g: must be 0.01 to 10000", flags.speed)
	}
	if err := flags.checkLook(); err != nil {
		return err
	}
	if isCast(path) {
		return a.playCast(cmd.Context(), path, flags)
	}
	slow := time.AfterFunc(time.Second, func() { a.PrintMessage("reading %s…", path) })
	player, rec, err := replay.Open(path, flags.speed)
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
	hands, err := a.ownHands()
	if err != nil {
		return err
	}
	keys, err := keymap(hands)
	if err != nil {
		return err
	}
	where := screen.Context{Name: cmp.Or(rec.Context, "recording"), Source: path, Endpoint: "recording", ReadOnly: true, Lab: rec.Lab, Current: true}
	return a.show(cmd, &flags.consoleFlags, ui.Options{
		Contexts: []screen.Context{where}, ReadOnly: true, Keys: keys, Plugins: pluginsOf(hands),
		Open:  func(string, func(string)) (*screen.Session, error) { return replaySession(where, player), nil },
		Probe: func(ctx context.Context, _ string) (screen.Health, error) { return screen.Health{}, ctx.Err() },
	})
}

// begin seeks to the start position, and pauses the player if flags.paused is set.
func begin(player *replay.Player, flags *replayFlags) error {
	s := player.State()
	at, err := startOf(flags.at, s.From)
	if err != nil {
		return err
	}
	if at.Before(s.From) || at.After(s.To) {
		return cli.Usagef("--at %s: must be within the recording, which covers %s to %s", flags.at, s.From.UTC().Format(time.RFC3339), s.To.UTC().Format(time.RFC3339))
	}
	player.Seek(at)
	player.Pause(flags.paused)
	return nil
}

// startOf parses the value of --at. from is the time at which the recording begins.
func startOf(text string, from time.Time) (time.Time, error) {
	if text == "" {
		return from, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return from.Add(d), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, cli.Usagef("--at %q: must be 10m, or a time as in 2026-03-14T14:00:00Z", text)
	}
	return at, nil
}

// replaySession returns a session whose data comes from a recording instead of Ironic.
func replaySession(where screen.Context, player *replay.Player) *screen.Session {
	answers := player.Answers()
	return &screen.Session{
		Context: where, Store: player.Store(), API: answers, Journal: answers, Logs: player, Replay: player, Poller: player,
		Explain: func(ctx context.Context, uuid string, bmc *explain.BMCFacts) (*provision.Explained, error) {
			return session.ExplainSeen(ctx, answers, player.Store(), answers, provision.ExplainSources{}, uuid, bmc)
		},
		Runner: provision.Runner{API: answers, Audit: noAudit{}, Context: where.Name, ReadOnly: true},
		Close:  func() {},
	}
}

// noAudit takes the place of the audit log in a replay.
type noAudit struct{}

// Write always returns an error, because nothing can be changed in a replay.
func (noAudit) Write(audit.Record) error {
	return errors.New("nothing can be changed in a replay")
}
