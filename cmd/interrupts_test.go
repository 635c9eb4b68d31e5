package cmd

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestInterrupts checks that Ctrl-C does not end the program while an editor runs or shortly afterwards. At any other
// time, SIGINT and SIGTERM must end it.
func TestInterrupts(t *testing.T) {
	send := func(signal syscall.Signal) {
		t.Helper()
		if err := syscall.Kill(os.Getpid(), signal); err != nil {
			t.Fatal(err)
		}
	}
	ended := func(ctx context.Context, why string) {
		t.Helper()
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Errorf("%s ends nothing", why)
		}
	}
	var signals interrupts
	ctx, stop := signals.cancelOnSignal(t.Context())
	for range 50 {
		back := signals.handOver()
		if err := exec.CommandContext(t.Context(), "sh", "-c", "kill -INT $PPID").Run(); err != nil {
			t.Fatal(err)
		}
		back()
		select {
		case <-ctx.Done():
			t.Fatal("an editor's SIGINT ends the run")
		case <-time.After(time.Millisecond):
		}
	}
	for signals.handedOver.Load() > 0 && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(editorGrace / 50):
		}
	}
	send(syscall.SIGINT)
	ended(ctx, "SIGINT after an editor")
	stop()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		ctx, stop := signals.cancelOnSignal(t.Context())
		send(signal)
		ended(ctx, signal.String())
		stop()
		if terminated := signals.terminated.Load(); terminated != (signal == syscall.SIGTERM) {
			t.Errorf("%s: terminated is %v", signal, terminated)
		}
	}
	ctx, stop = signals.cancelOnSignal(t.Context())
	defer stop()
	defer signals.handOver()()
	send(syscall.SIGTERM)
	ended(ctx, "SIGTERM while an editor has the terminal")
}
