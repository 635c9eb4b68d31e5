package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/cast"
	"ironworks/cmd/cli"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/replay"
	"ironworks/session"
	"ironworks/shell"
	"ironworks/ui"
	"ironworks/ui/screen"
)

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

// maxIdle is the maximum pause while an asciicast is played.
const maxIdle = 3 * time.Second

// playCast plays an asciicast at the terminal. Without a terminal, it prints the output without pauses.
func (a *app) playCast(ctx context.Context, path string, flags *replayFlags) error {
	file, err := os.Open(path) //nolint:gosec // the user's own file
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	r, err := cast.NewReader(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	at, err := startOf(flags.at, r.Header.Began)
	if err != nil {
		return err
	}
	if at.Before(r.Header.Began) {
		return cli.Usagef("--at %s: must not be before the start of the recording, %s", flags.at, r.Header.Began.UTC().Format(time.RFC3339))
	}
	if _, is := cli.Terminal(a.Stdout); !is {
		if flags.at != "" || flags.paused {
			return cli.Usagef("--at and --paused need a terminal for %s", path)
		}
		text, err := cast.Text(r)
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
		_, failed := fmt.Fprint(a.Stdout, text)
		return errors.Join(err, failed)
	}
	last := r
	err = a.playAtTerminal(ctx, r, cast.Playing{Speed: flags.speed, Idle: maxIdle, At: at.Sub(r.Header.Began), Paused: flags.paused, Reopen: func() (*cast.Reader, error) {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		last, err = cast.NewReader(file)
		return last, err
	}}, func() *cast.Reader { return last })
	switch {
	case errors.Is(err, cast.ErrQuit):
		return nil
	case err != nil && ctx.Err() == nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// playAtTerminal plays an asciicast at the terminal, and says if the terminal is smaller than the recorded one.
func (a *app) playAtTerminal(ctx context.Context, r *cast.Reader, p cast.Playing, last func() *cast.Reader) error {
	where, err := shell.OpenTerminal(a.Stdin, a.Stdout)
	if err != nil {
		return err
	}
	size := where.Size()
	playing, stop := context.WithCancel(ctx)
	p.Keys = keysOf(playing, where)
	err = cast.Play(playing, r, where, p)
	stop()
	err = errors.Join(err, where.Close())
	if shown := last(); size.Width < shown.Width || size.Height < shown.Height {
		a.PrintMessage("note: recorded at up to %d×%d cells; this terminal has %d×%d", shown.Width, shown.Height, size.Width, size.Height)
	}
	return err
}

// keysOf returns a channel of the keys that are typed at a terminal. The channel is closed when ctx is canceled, or
// when the terminal can no longer be read. Leaving the terminal with ~. counts as pressing q. The buffer has space
// for more than one key, because [shell.Terminal.Read] requires that.
func keysOf(ctx context.Context, where *shell.Terminal) <-chan byte {
	keys := make(chan byte)
	go func() {
		defer close(keys)
		buffer := make([]byte, 64)
		for {
			n, err := where.Read(buffer)
			typed := buffer[:n]
			if errors.Is(err, shell.ErrLeft) {
				typed = append(typed, 'q')
			}
			for _, key := range typed {
				select {
				case keys <- key:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return keys
}
