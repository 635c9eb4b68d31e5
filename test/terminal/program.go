package terminal

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// PID is the process of the program.
func (s *Screen) PID() int { return s.cmd.Process.Pid }

// over says whether the program has ended and everything it wrote was shown.
func (s *Screen) over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Resize changes the size of the terminal; the kernel tells the program.
func (s *Screen) Resize(width, height int) error {
	if width <= 0 || height <= 0 {
		return fmt.Errorf("a terminal cannot be %d×%d", width, height)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cast != nil {
		s.cast.resize(width, height)
	}
	// The screen first: what the program writes in answer is for the new one.
	s.emulator.Resize(width, height)
	return resize(s.tty, pty.Winsize{Rows: uint16(height), Cols: uint16(width)})
}

// Signal sends the program a signal.
func (s *Screen) Signal(sig os.Signal) error {
	if err := s.cmd.Process.Signal(sig); err != nil {
		return fmt.Errorf("sending %v: %w", sig, err)
	}
	return nil
}

// Wait waits until the program has ended and everything it wrote was shown. The error of
// a program that a signal ended names the signal, and its exit code is -1.
func (s *Screen) Wait(ctx context.Context) (exitCode int, err error) {
	select {
	case <-s.ended:
	case <-ctx.Done():
		return -1, fmt.Errorf("waiting for the program's end: %w", context.Cause(ctx))
	}
	if status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -1, fmt.Errorf("the program was ended by a signal: %v", status.Signal())
	}
	return s.cmd.ProcessState.ExitCode(), nil
}

// Ends waits for the program's end and wants an exit code.
func (s *Screen) Ends(t testing.TB, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), s.patience)
	defer cancel()
	got, err := s.Wait(ctx)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.Describe())
	}
	if got != code {
		t.Errorf("exit code %d, want %d\n%s", got, code, s.Describe())
	}
}

// Close kills the program if it still runs, and waits until it and all that was started
// for it are gone. The error is about the recording.
func (s *Screen) Close() error {
	_ = s.cmd.Process.Kill()
	s.running.Wait()
	if s.cast == nil {
		return nil
	}
	return s.cast.close()
}
