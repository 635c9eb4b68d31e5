package cast

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Playing holds the options for playing a recording.
type Playing struct {
	// Speed is the factor by which playing is faster than the recording.
	Speed float64
	// Idle is the maximum duration of a pause after division by Speed. If Idle is 0, pauses are not shortened.
	Idle time.Duration
	// At is the start position; earlier output is shown at once. Paused starts playing in the paused state.
	At     time.Duration
	Paused bool
	// Reopen opens the recording again, which is necessary to go back. If it is nil, going back is not possible.
	Reopen func() (*Reader, error)
	// Keys delivers the keys that are pressed. The space key pauses, "." shows the next output, "{" and "}" go 30 s
	// back and ahead, "+" and "-" change the speed, and "q" quits. Keys may be nil.
	Keys <-chan byte
}

// seekStep is the amount by which the keys "{" and "}" change the position.
const seekStep = 30 * time.Second

// ErrQuit is returned if the user pressed q.
var ErrQuit = errors.New("quit")

// ErrTooShort is returned if the start position is after the end of the recording.
var ErrTooShort = errors.New("the recording ends before the start position")

// errBack is returned if the user goes back, so that the recording must be read again from its start.
var errBack = errors.New("back")

// Play writes the output of a recording to a terminal with the recorded timing. It writes only output that [Safe] lets
// through. It returns at the end of the recording, or when ctx is canceled. If the user quits, it returns [ErrQuit].
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

// play plays the recording from its start. Output before p.to is shown at once.
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

// erase clears the screen before the output is shown again from the start.
const erase = "\x1b[2J\x1b[H"

// resetTerminal undoes the modes that a truncated recording may leave: alternate screen, style, margins, hidden cursor.
const resetTerminal = "\x1b[?2026l\x1b[?1049l\x1b[m\x1b[r\x1b[?7h\x1b[?25h"

// player plays a recording and handles keys while it waits between events.
type player struct {
	Playing
	paused bool
	// at is the current position, and to is the position to which the user wants to go, forward or back.
	at, to time.Duration
}

// wait waits for a pause and handles keys meanwhile. jumped reports whether the user wants another position.
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

// Text returns the whole output that [Safe] lets through. It is meant for output without a terminal.
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
