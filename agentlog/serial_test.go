package agentlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
)

// lender is a SerialConsoles that opens the same fake console for all nodes.
type lender struct {
	mu        sync.Mutex
	addresses []string // returned in this order, the last one repeatedly; "" is an error
	fault     error
	asked     int
	closed    int
}

func (l *lender) Open(context.Context, models.NodeRef) (SerialConsole, error) {
	if l.fault != nil {
		return nil, l.fault
	}
	return l, nil
}

func (l *lender) Address(context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	address := l.addresses[min(l.asked, len(l.addresses))-1]
	if address == "" {
		return "", &SerialError{Reason: "the console was disabled", Remedy: "enable it"}
	}
	return address, nil
}

func (l *lender) Changed() string { return "it was enabled" }

func (l *lender) Close(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed++
	return ctx.Err()
}

// serialFollower follows only the console that l opens.
func serialFollower(t *testing.T, l *lender) (texts func(until string) []string, statuses func() []string, stop func()) {
	t.Helper()
	f, err := New(Options{Sources: []models.LogSource{models.LogSerial}, Serial: l})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out := f.Follow(ctx, models.NodeRef{UUID: testUUID})
	var seen, reports []string
	note := func(b *Batch) {
		for _, line := range b.Lines {
			seen = append(seen, line.Text)
		}
		for _, s := range b.Status {
			reports = append(reports, fmt.Sprint(s.State, " ", s.Reason, "; ", s.Remedy))
		}
	}
	texts = func(until string) []string {
		for b := range out {
			if note(&b); slices.Contains(seen, until) || slices.ContainsFunc(reports, func(s string) bool { return strings.Contains(s, until) }) {
				break
			}
		}
		return seen
	}
	return texts, func() []string { return reports }, func() {
		cancel()
		for range out { //nolint:revive // until it is closed
		}
	}
}

// socat accepts one connection for each text. It writes the text to the connection and then closes it.
func socat(t *testing.T, texts ...string) (address string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for _, text := range texts {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte(text))
			_ = conn.Close()
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
	return listener.Addr().String()
}

func TestSerialIsReadAndRestored(t *testing.T) {
	t.Parallel()
	l := &lender{addresses: []string{"tcp://" + socat(t, "one\r\ntw", "three\r\n")}}
	texts, statuses, stop := serialFollower(t, l)
	if got, want := texts("three"), []string{"one", "tw", "three"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	stop()
	// When a connection ends, the console's address is not requested again, because that would disconnect other
	// readers.
	if l.asked != 1 || l.closed != 1 {
		t.Errorf("asked %d times, closed %d times", l.asked, l.closed)
	}
	for _, want := range []string{"following it was enabled; ", "connecting connection closed; another client may"} {
		if !strings.Contains(strings.Join(statuses(), "\n"), want) {
			t.Errorf("no %q in %q", want, statuses())
		}
	}
}

func TestSerialFollowsAnotherAddress(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &lender{addresses: []string{"tcp://" + listener.Addr().String(), "tcp://" + socat(t, "found\n")}}
	_ = listener.Close() // after the other console has its port
	texts, statuses, stop := serialFollower(t, l)
	defer stop()
	if got := texts("found"); !slices.Equal(got, []string{"found"}) {
		t.Errorf("got %q", got)
	}
	if !strings.Contains(strings.Join(statuses(), "\n"), "connecting connection refused; check that this console can reach the conductor's [console]socat_address") {
		t.Errorf("%q", statuses())
	}
}

func TestUnreadableSerialConsoles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, address string
		fault         error
		want          string
	}{
		{"it says why", "", &SerialError{Reason: "no console", Remedy: "buy one", Final: true}, "failed no console; buy one"},
		{"it may do later", "", fmt.Errorf("asking: %w", &SerialError{Reason: "locked"}), "connecting locked; "},
		{"anything else", "", errors.New("odd\x1b[1m"), `connecting odd\x1b[1m; `},
		{"Ironic's fault", "", fmt.Errorf("asking: %w", &models.Fault{Message: "node locked", Hint: "wait"}), "connecting node locked; wait"},
		{"disabled by others", "", nil, "connecting the console was disabled; enable it"},
		{"a web page", "http://192.0.2.1:8023/token", nil, "failed invalid console address: http://192.0.2.1:8023/token; " + serialOnly},
		{"without a port", "tcp://192.0.2.1", nil, "failed invalid console address"},
		{"nonsense", "tcp://[", nil, "failed invalid console address"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			texts, statuses, stop := serialFollower(t, &lender{addresses: []string{tt.address}, fault: tt.fault})
			defer stop()
			texts(tt.want)
			if !strings.Contains(strings.Join(statuses(), "\n"), tt.want) {
				t.Errorf("%q, want %q", statuses(), tt.want)
			}
		})
	}
}

// TestSerialOnce checks that a console is not opened to read its history, because it has none.
func TestSerialOnce(t *testing.T) {
	t.Parallel()
	l := &lender{addresses: []string{"tcp://127.0.0.1:1"}}
	b := onceOf(t, Options{Serial: l, Sources: []models.LogSource{models.LogSerial}, Once: true})
	if len(b.Status) != 1 || b.Status[0].State != StateEnded || b.Status[0].Reason != "a serial console has no history: pass -f to follow it" || l.asked != 0 {
		t.Errorf("asked %d times, status %+v", l.asked, b.Status)
	}
}

// TestSerialFault checks the reason and the remedy for each error of a connection to a console.
func TestSerialFault(t *testing.T) {
	t.Parallel()
	const reach = "check that this console can reach the conductor's [console]socat_address"
	for name, tt := range map[string]struct {
		address string
		err     error
		want    string
	}{
		"refused":             {"h:1", syscall.ECONNREFUSED, "connection refused; " + reach + "; if socat has exited, disable and enable the console"},
		"closed":              {"h:1", io.EOF, "connection closed; another client may have taken over the console, or the BMC ended the session"},
		"reset":               {"h:1", syscall.ECONNRESET, "connection closed; another client may have taken over the console, or the BMC ended the session"},
		"a timeout":           {"h:1", context.DeadlineExceeded, "timed out; " + reach},
		"no route":            {"h:1", syscall.EHOSTUNREACH, "no route to host; " + reach},
		"before the address":  {"", context.DeadlineExceeded, "timed out; "},
		"without an own text": {"h:1", errors.New("odd"), "odd; " + reach},
	} {
		s := (&serialSource{address: tt.address}).fault(tt.err)
		if got := s.Reason + "; " + s.Remedy; got != tt.want || s.State != StateConnecting || s.Address != tt.address {
			t.Errorf("%s: %s %q at %q, want %q", name, s.State, got, s.Address, tt.want)
		}
	}
}

// TestSerialOnRequest checks that the console is opened only if it is requested.
func TestSerialOnRequest(t *testing.T) {
	l := &lender{fault: &SerialError{Reason: "x", Final: true}}
	synctest.Test(t, func(t *testing.T) {
		f, err := New(Options{Push: make(pushed), Serial: l})
		if err != nil {
			t.Fatal(err)
		}
		for _, more := range [][]models.LogSource{nil, {models.LogSerial, models.LogSSH}} {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			got := ""
			for b := range f.Follow(ctx, models.NodeRef{UUID: testUUID}, more...) {
				for _, s := range b.Status {
					got += string(s.Source) + " "
				}
			}
			cancel()
			if want := map[bool]string{true: "serial serial ", false: ""}[more != nil]; got != want {
				t.Errorf("%v: %q, want %q", more, got, want)
			}
		}
	})
}

// TestSerialSilence checks that a prompt is shown after a second, and that a lack of output is reported.
func TestSerialSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far, near := net.Pipe()
		l := &lender{}
		j := &nodeFollower{options: &Options{}, reports: make(chan sourceReport)}
		j.working = make([]atomic.Bool, 1)
		s := &serialSource{sourceOutput: &sourceOutput{follower: j, source: models.LogSerial}, console: l, parser: newSerialParser(j.node, time.Now)}
		ctx, cancel := context.WithCancel(t.Context())
		var reading sync.WaitGroup
		reading.Go(func() { _ = s.read(ctx, near) })
		began := time.Now()
		said := func() string {
			n := <-j.reports
			if n.status != nil {
				return fmt.Sprint(time.Since(began), " ", n.status.State, " ", n.status.Reason)
			}
			return fmt.Sprint(time.Since(began), " ", n.lines[0].Text)
		}
		got := []string{said()}
		_, _ = far.Write([]byte("login: "))
		got = append(got, said(), said())
		_, _ = far.Write([]byte("core\n"))
		got = append(got, said(), said())
		cancel()
		_ = far.Close()
		reading.Wait()
		want := []string{"0s following it was enabled", "1s login:", "20s following no output", "20s following it was enabled", "20s login: core"}
		if !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
}
