package cast

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"
)

// Playing is how a recording is played.
type Playing struct {
	// Speed is a factor, 1 for the speed of the recording.
	Speed float64
	// Idle bounds pauses, after Speed; 0 does not.
	Idle time.Duration
	// Keys has the keys that were pressed: space pauses, "." shows the next output, + and - change the speed, q ends. May be
	// nil.
	Keys <-chan byte
}

// ErrQuit reports that q was pressed.
var ErrQuit = errors.New("quit")

// Play writes the safe part of a recording's output to a terminal, in its time, until its end or that of ctx.
func Play(ctx context.Context, r *Reader, out io.Writer, p Playing) error {
	safe, was := NewSafe(), time.Duration(0)
	defer func() { _, _ = io.WriteString(out, leave) }()
	player := &player{Playing: p}
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := player.wait(ctx, e.At-was); err != nil {
			return err
		}
		was = e.At
		if e.Kind == Output {
			if _, err := io.WriteString(out, safe.Filter(e.Data)); err != nil {
				return err
			}
		}
	}
}

// leave resets the terminal after a truncated full-screen program: alternate screen, style, margins, hidden cursor.
const leave = "\x1b[?2026l\x1b[?1049l\x1b[m\x1b[r\x1b[?7h\x1b[?25h"

// player waits between events.
type player struct {
	Playing
	paused bool
}

// wait waits for a pause of the recording, and handles keys.
func (p *player) wait(ctx context.Context, pause time.Duration) error {
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
			return ctx.Err()
		case <-due:
			return nil
		case key, more := <-p.Keys:
			if !more {
				p.Keys = nil
			}
			if !p.paused {
				pause -= time.Duration(float64(time.Since(began)) * p.Speed)
			}
			switch key {
			case 'q', 3, 27:
				return ErrQuit
			case ' ':
				p.paused = !p.paused
			case '.':
				return nil
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
