package cast

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Playing has the options of playback.
type Playing struct {
	// Speed is a factor, 1 for the speed of the recording.
	Speed float64
	// Idle is the longest pause, after Speed is applied; 0 keeps pauses as recorded.
	Idle time.Duration
	// At is the start position: output before it is shown at once. Paused starts paused.
	At     time.Duration
	Paused bool
	// Reopen reads the recording from the start, to go back. It may be nil.
	Reopen func() (*Reader, error)
	// Keys has the keys that were pressed: space pauses, "." shows the next output, "{" and "}" go 30 s back and forward,
	// + and - change the speed, q ends. May be nil.
	Keys <-chan byte
}

// seekStep is how far "{" and "}" go.
const seekStep = 30 * time.Second

// ErrQuit reports that q was pressed.
var ErrQuit = errors.New("quit")

// ErrTooShort reports that the start position is after the end.
var ErrTooShort = errors.New("the recording ends before the start position")

// errBack reports that the position goes back.
var errBack = errors.New("back")

// Play writes the safe part of a recording's output to a terminal, in its time, until its end or that of ctx.
func Play(ctx context.Context, r *Reader, out io.Writer, p Playing) error {
	defer func() { _, _ = io.WriteString(out, resetTerminal) }()
	player := &player{Playing: p, paused: p.Paused, to: p.At}
	for {
		err := player.play(ctx, r, out)
		if !errors.Is(err, errBack) {
			return err
		}
		if r, err = p.Reopen(); err != nil {
			return err
		}
		if _, err := io.WriteString(out, resetTerminal+erase); err != nil {
			return err
		}
	}
}

// play plays a recording from its start; output before the position to go to is shown at once.
func (p *player) play(ctx context.Context, r *Reader, out io.Writer) error {
	safe := NewSafe()
	p.at = 0
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			if p.at < p.At {
				return fmt.Errorf("%w: it ends after %s", ErrTooShort, p.at.Round(time.Second))
			}
			return nil
		}
		if err != nil {
			return err
		}
		for p.at = max(p.at, min(p.to, e.At)); p.at < e.At; p.at = min(max(p.at, p.to), e.At) {
			jumped, err := p.wait(ctx, e.At-p.at)
			if err != nil {
				return err
			}
			if !jumped {
				p.at = e.At
			}
		}
		if e.Kind == Output {
			if _, err := io.WriteString(out, safe.Filter(e.Data)); err != nil {
				return err
			}
		}
	}
}

// erase clears the screen, for output from the start.
const erase = "\x1b[2J\x1b[H"

// resetTerminal resets the terminal after a truncated full-screen program: alternate screen, style, margins, hidden cursor.
const resetTerminal = "\x1b[?2026l\x1b[?1049l\x1b[m\x1b[r\x1b[?7h\x1b[?25h"

// player waits between events.
type player struct {
	Playing
	paused bool
	// at is the current position; to is the position to jump to, which may be earlier.
	at, to time.Duration
}

// wait waits for a pause of the recording, and handles keys. It reports whether the position to go to has changed.
func (p *player) wait(ctx context.Context, pause time.Duration) (jumped bool, err error) {
	for {
		d := time.Duration(float64(pause) / p.Speed)
		if p.Idle > 0 {
			d = min(d, p.Idle)
		}
		var due <-chan time.Time
		if !p.paused {
			due = time.After(d)
		}
		began := time.Now()
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-due:
			return false, nil
		case key, more := <-p.Keys:
			if !more {
				p.Keys = nil
			}
			if !p.paused {
				pause -= time.Duration(float64(time.Since(began)) * p.Speed)
			}
			switch key {
			case 'q', 3, 27:
				return false, ErrQuit
			case ' ':
				p.paused = !p.paused
			case '.':
				return false, nil
			case '{':
				if p.Reopen != nil {
					p.to = max(0, p.at-seekStep)
					return true, errBack
				}
			case '}':
				p.to = p.at + seekStep
				return true, nil
			case '+', '-':
				p.Speed = faster(p.Speed, key)
			}
		}
	}
}

func faster(speed float64, key byte) float64 {
	if key == '+' {
		return min(speed*2, 1000)
	}
	return max(speed/2, 0.01)
}

// Text returns the safe part of the whole output, for readers without a terminal.
func Text(r *Reader) (string, error) {
	safe := NewSafe()
	var b strings.Builder
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}
		if e.Kind == Output {
			b.WriteString(safe.Filter(e.Data))
		}
	}
}
