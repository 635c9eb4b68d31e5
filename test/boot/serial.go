package boot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Serial collects the lines that a machine writes to its serial line, over all boots.
type Serial struct {
	mu      sync.Mutex
	lines   []string
	changed chan struct{} // closed when more lines have arrived
	ended   bool
}

// ansi matches escape sequences of firmware and systemd.
var ansi = regexp.MustCompile(`\x1b\[[0-9;?=]*[a-zA-Z]`)

// DialSerial connects to the serial line at address and reads it until the test ends.
func DialSerial(tb testing.TB, address string) *Serial {
	tb.Helper()
	conn, err := new(net.Dialer).DialContext(tb.Context(), "tcp", address)
	if err != nil {
		tb.Fatal(err)
	}
	return ReadSerial(tb, conn)
}

// ReadSerial reads a serial line until the test ends, and then closes it.
func ReadSerial(tb testing.TB, line io.ReadCloser) *Serial {
	tb.Helper()
	s := &Serial{changed: make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.read(line)
	}()
	tb.Cleanup(func() {
		_ = line.Close()
		<-ended
	})
	return s
}

func (s *Serial) read(from io.Reader) {
	reader := bufio.NewReader(from)
	for {
		line, err := reader.ReadString('\n')
		s.add(strings.TrimSpace(ansi.ReplaceAllString(line, "")), err != nil)
		if err != nil {
			return
		}
	}
}

func (s *Serial) add(line string, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = last
	if line != "" {
		s.lines = append(s.lines, line)
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// Length returns the number of lines so far.
func (s *Serial) Length() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lines)
}

// End returns at most the last 40 lines, and none whose index is below from.
func (s *Serial) End(from int) string {
	const most = 40
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines[max(from, len(s.lines)-most):], "\n")
}

// next returns the lines whose index is at least from, a channel that is closed when there are more, and whether the
// serial line has ended.
func (s *Serial) next(from int) ([]string, chan struct{}, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines[from:], s.changed, s.ended
}

// emergency appears in the output of the initramfs (stage 1) when a boot stops in the emergency shell.
const emergency = "You are in emergency mode"

var errEmergency = errors.New("the boot ended in the emergency shell")

// Expect waits for a line that matches pattern and whose index is at least from, and returns the submatches. A boot
// that ends in the emergency shell is an error, unless pattern matches the message about it.
func (s *Serial) Expect(ctx context.Context, from int, pattern *regexp.Regexp) ([]string, error) {
	var err error
	for at := from; ; {
		lines, changed, ended := s.next(at)
		for _, line := range lines {
			if found := pattern.FindStringSubmatch(line); found != nil {
				return found, nil
			}
			if strings.Contains(line, emergency) {
				err = errEmergency
			}
		}
		at += len(lines)
		if ended && err == nil {
			err = net.ErrClosed
		}
		if err == nil {
			select {
			case <-ctx.Done():
				err = context.Cause(ctx)
			case <-changed:
			}
		}
		if err != nil {
			return nil, fmt.Errorf("waiting for %q on the serial line: %w; last lines:\n%s", pattern, err, s.End(from))
		}
	}
}
