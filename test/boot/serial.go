package boot

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Serial keeps what a machine writes to its serial line, over all its boots.
type Serial struct {
	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{} // closed when there is more
}

// ansi are the escape sequences of firmware and systemd.
var ansi = regexp.MustCompile(`\x1b\[[0-9;?=]*[a-zA-Z]`)

// DialSerial reads a serial line until the test ends.
func DialSerial(tb testing.TB, address string) *Serial {
	tb.Helper()
	conn, err := new(net.Dialer).DialContext(tb.Context(), "tcp", address)
	if err != nil {
		tb.Fatal(err)
	}
	s := &Serial{changed: make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.read(conn)
	}()
	tb.Cleanup(func() {
		_ = conn.Close()
		<-ended
	})
	return s
}

func (s *Serial) read(conn net.Conn) {
	buffer := make([]byte, 4096)
	for {
		n, err := conn.Read(buffer)
		s.mu.Lock()
		s.text.Write(buffer[:n])
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Length is how much came so far; what comes later is behind it.
func (s *Serial) Length() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Len()
}

// Since is what came behind a length, without escape sequences.
func (s *Serial) Since(length int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ansi.ReplaceAllString(s.text.String()[length:], "")
}

// emergency is what stage 1 writes where a boot goes no further.
const emergency = "You are in emergency mode"

// Expect waits until something that matches came behind a length, and gives what matched. A
// boot that ends in the emergency shell is an error.
func (s *Serial) Expect(ctx context.Context, from int, pattern *regexp.Regexp) ([]string, error) {
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		text := s.Since(from)
		if found := pattern.FindStringSubmatch(text); found != nil {
			return found, nil
		}
		if strings.Contains(text, emergency) {
			return nil, fmt.Errorf("waiting for %q: the boot ended in the emergency shell:\n%s", pattern, end(text))
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for %q: %w; the serial line ends with:\n%s", pattern, context.Cause(ctx), end(text))
		case <-changed:
		}
	}
}

// end is the end of a text.
func end(text string) string {
	const most = 3000
	return text[max(0, len(text)-most):]
}
