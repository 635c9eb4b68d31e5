package terminal

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// PID returns the process ID of the program.
func (s *Screen) PID() int { return s.cmd.Process.Pid }

// hasEnded reports whether the program has ended and all of its output has been shown.
func (s *Screen) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Resize changes the size of the terminal; the kernel notifies the program.
func (s *Screen) Resize(width, height int) error {
	if width <= 0 || height <= 0 {
		return fmt.Errorf("invalid terminal size %d×%d", width, height)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// The emulator is resized first, so that the program's reaction is drawn in the new size.
	s.emulator.Resize(width, height)
	return resize(s.tty, pty.Winsize{Rows: uint16(height), Cols: uint16(width)})
}

// Signal sends a signal to the program.
func (s *Screen) Signal(sig os.Signal) error {
	if err := s.cmd.Process.Signal(sig); err != nil {
		return fmt.Errorf("sending %v: %w", sig, err)
	}
	return nil
}

// Wait waits until the program has ended and all of its output has been shown. If a signal ended the program, the
// error names it and the exit code is -1.
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

// Ends waits for the program's end and checks the exit code.
func (s *Screen) Ends(t testing.TB, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	got, err := s.Wait(ctx)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.Describe())
	}
	if got != code {
		t.Errorf("exit code %d, want %d\n%s", got, code, s.Describe())
	}
}

// Close kills the program if it still runs. It waits for the program's end, and for the goroutines of the Screen.
func (s *Screen) Close() {
	_ = s.cmd.Process.Kill()
	s.running.Wait()
}
