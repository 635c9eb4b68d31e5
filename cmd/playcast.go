package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"ironworks/cast"
	"ironworks/cmd/cli"
	"ironworks/shell"
)

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

// playAtTerminal plays an asciicast at the terminal. It prints a message if the terminal is smaller than the recorded
// one.
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
