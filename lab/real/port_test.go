package real

import (
	"errors"
	"net"
	"syscall"
	"testing"
	"time"
)

// TestListenOnAPortThatIsAboutToBeFree checks that listening succeeds although a copy of the closed listener keeps
// the port in use for a moment. A child between fork and exec holds such a copy.
func TestListenOnAPortThatIsAboutToBeFree(t *testing.T) {
	t.Parallel()
	r, err := Reserve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	first, err := listenAt(t.Context(), loopback, r.Port)
	if err != nil {
		t.Fatal(err)
	}
	held, err := first.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := listenAt(t.Context(), loopback, r.Port); !errors.Is(err, syscall.EADDRINUSE) {
		t.Fatalf("the port is not in use: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = held.Close() })
	l, err := ListenWhenFree(t.Context(), loopback, r.Port)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
