// Package shell gives the operator's terminal to a program on another machine, and restores it afterward. It handles
// raw mode, keys, the window size, and the modes that the program has changed.
package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/muesli/cancelreader"
	"golang.org/x/term"

	"ironworks/agentlog"
)

// Terminal is the operator's terminal in raw mode: keys and output pass unchanged.
type Terminal struct {
	out     *os.File
	fd      int
	before  *term.State
	keys    cancelreader.CancelReader
	escape  escape
	changes *changes

	sizes   chan agentlog.WindowSize
	signals chan os.Signal
	quit    chan struct{}
	running sync.WaitGroup
	// reading is held while a key is awaited.
	reading sync.Mutex
	writing sync.Mutex
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, is := stream.(*os.File)
	return is && term.IsTerminal(int(f.Fd())) //nolint:gosec // file descriptors are small
}

// OpenTerminal switches a terminal to raw mode until [Terminal.Close]. in and out are the terminal's streams.
func OpenTerminal(in io.Reader, out io.Writer) (*Terminal, error) {
	if !IsTerminal(in) || !IsTerminal(out) {
		return nil, errors.New("stdin and stdout are not a terminal")
	}
	from, to := in.(*os.File), out.(*os.File) //nolint:forcetypeassert // IsTerminal has checked them
	t := &Terminal{
		out: to, fd: int(from.Fd()), changes: newChanges(), sizes: make(chan agentlog.WindowSize, 1), signals: make(chan os.Signal, 1), quit: make(chan struct{}), //nolint:gosec // as above
		escape: escape{lineStart: true},
	}
	var err error
	if t.keys, err = cancelreader.NewReader(from); err != nil {
		return nil, fmt.Errorf("reading the terminal: %w", err)
	}
	if t.before, err = term.MakeRaw(t.fd); err != nil {
		_ = t.keys.Close()
		return nil, fmt.Errorf("switching the terminal to raw mode: %w", err)
	}
	signal.Notify(t.signals, syscall.SIGWINCH)
	t.running.Go(t.followSize)
	return t, nil
}

// Size returns the terminal's size, or 80x24 if it is unknown.
func (t *Terminal) Size() agentlog.WindowSize {
	width, height, err := term.GetSize(int(t.out.Fd())) //nolint:gosec // as above
	if err != nil || width <= 0 || height <= 0 {
		return agentlog.WindowSize{Width: 80, Height: 24}
	}
	return agentlog.WindowSize{Width: width, Height: height}
}

// Resized returns a channel that receives the terminal's size after each change, until Close.
func (t *Terminal) Resized() <-chan agentlog.WindowSize { return t.sizes }

func (t *Terminal) followSize() {
	defer close(t.sizes)
	for {
		select {
		case <-t.quit:
			return
		case <-t.signals:
			select {
			case t.sizes <- t.Size():
			case <-t.quit:
				return
			}
		}
	}
}

// ErrLeft is returned by Read after ~. at the start of a line.
var ErrLeft = errors.New("disconnected (~. at the start of a line)")

// Read reads keys. It returns ErrLeft after ~. at the start of a line, and io.EOF after Close. Unread keys stay in the
// terminal for the next program.
func (t *Terminal) Read(p []byte) (int, error) {
	t.reading.Lock()
	defer t.reading.Unlock()
	if len(p) < 2 {
		return 0, io.ErrShortBuffer
	}
	for {
		// Use half of p, because a withheld ~ may precede the keys.
		n, err := t.keys.Read(p[:len(p)/2])
		if errors.Is(err, cancelreader.ErrCanceled) {
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
		out, left := t.escape.pass(p[:n])
		n = copy(p, out)
		switch {
		case left:
			return n, ErrLeft
		case n > 0:
			return n, nil
		}
	}
}

// Write writes the program's output to the terminal, and records the modes that the output changes.
func (t *Terminal) Write(p []byte) (int, error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.changes.feed(p)
	return t.out.Write(p)
}

// Close restores the terminal: its line settings, and the modes that the program has changed. It waits until Read has
// returned.
func (t *Terminal) Close() error {
	signal.Stop(t.signals)
	close(t.quit)
	t.running.Wait()
	t.keys.Cancel()
	t.reading.Lock()
	closed := t.keys.Close()
	t.reading.Unlock()
	t.writing.Lock()
	defer t.writing.Unlock()
	_, undone := io.WriteString(t.out, t.changes.undo())
	if err := errors.Join(closed, undone, term.Restore(t.fd, t.before)); err != nil {
		return fmt.Errorf("restoring the terminal: %w", err)
	}
	return nil
}
