package ironicclient

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/request"
)

// hijacked returns a handler that passes the bare connection to the function use, and then closes the connection.
func hijacked(use func(conn net.Conn)) handler {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer func() { _ = conn.Close() }()
		use(conn)
	}
}

// raw starts a server that sends the same bytes to every client.
func raw(t *testing.T, answer string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(conn).ReadByte()
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
		}
	})
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	return "http://" + l.Addr().String()
}

// closedPort returns an address on which nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	return l.Addr().String()
}

func TestRefused(t *testing.T) {
	t.Parallel()
	addr := closedPort(t)
	c := client(t, "http://"+addr, Options{})
	_, err := c.Send(t.Context(), request.Power("n", models.TargetOn))
	f := mustFault(t, err, models.FaultRefused)
	mustSay(t, f, "set power of node n to power on: connection refused by "+addr, "the API is running")
	if f.Sent || f.Status != 0 || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%+v", f)
	}
}

func TestDNS(t *testing.T) {
	t.Parallel()
	c := client(t, "http://ironic.invalid:6385", Options{})
	_, err := c.Send(t.Context(), request.Power("n", models.TargetOn))
	f := mustFault(t, err, models.FaultDNS)
	mustSay(t, f, `the host name "ironic.invalid" does not resolve`)
	if f.Sent {
		t.Error("nothing was sent")
	}
}

// TestSilence checks which fault is returned if a server does not respond to a request, or stops in the middle of the
// response.
func TestSilence(t *testing.T) {
	t.Parallel()
	silent := func(before string) handler {
		return func(w http.ResponseWriter, r *http.Request) {
			if before != "" {
				_, _ = io.WriteString(w, before)
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		}
	}
	for name, before := range map[string]string{"at once": "", "in the middle": `{"nodes":[`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronic(t, silent(before))
			c := connect(t, models.Connection{Endpoint: f.URL, Timeout: 250 * time.Millisecond}, Options{})
			fault := mustFault(t, list(t.Context(), c), models.FaultTimeout)
			mustSay(t, fault, "no answer from 127.0.0.1", "in time")
			if fault.Sent {
				t.Error("reading changes nothing")
			}
			_, err := c.Send(t.Context(), request.Maintenance("n", true, "x"))
			if fault := mustFault(t, err, models.FaultTimeout); !fault.Sent {
				t.Errorf("it may have arrived: %v", fault)
			}
		})
	}
}

// TestSlowIsNotSilent checks that the time limit applies to silence, not to the whole response: a page that keeps
// arriving may take longer.
func TestSlowIsNotSilent(t *testing.T) {
	t.Parallel()
	const limit = 800 * time.Millisecond
	f := newIronic(t, func(w http.ResponseWriter, r *http.Request) {
		tick := time.NewTicker(limit / 8)
		defer tick.Stop()
		for range 12 {
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
			_, _ = io.WriteString(w, " ")
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.WriteString(w, nodesJSON("a"))
	})
	c := connect(t, models.Connection{Endpoint: f.URL, Timeout: limit}, Options{})
	if err := list(t.Context(), c); err != nil {
		t.Error(err)
	}
}

// TestSlowCallsHaveMoreTime checks that requests for which the conductor contacts a BMC have a longer time limit.
func TestSlowCallsHaveMoreTime(t *testing.T) {
	t.Parallel()
	f := newIronic(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(600 * time.Millisecond):
			w.WriteHeader(http.StatusAccepted)
		case <-r.Context().Done():
		}
	})
	c := connect(t, models.Connection{Endpoint: f.URL, Timeout: 300 * time.Millisecond}, Options{})
	if _, err := c.Send(t.Context(), request.Power("n", models.TargetOn)); err != nil {
		t.Error(err)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := newIronic(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := client(t, f.URL, Options{}).Send(ctx, request.Power("n", models.TargetOn))
	if fault := mustFault(t, err, models.FaultCanceled); !fault.Sent || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", fault)
	}
	if len(f.all()) != 1 {
		t.Errorf("%d requests", len(f.all()))
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	f := newIronic(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
	defer cancel()
	wantFault(t, list(ctx, client(t, f.URL, Options{})), models.FaultTimeout)
}

func TestNotHTTP(t *testing.T) {
	t.Parallel()
	for answer, kind := range map[string]models.FaultKind{
		"SSH-2.0-OpenSSH_9.2\r\n":      models.FaultNotIronic,
		"\x15\x03\x01\x00\x02\x02\x0a": models.FaultTLS,
		"":                             models.FaultReset,
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>": models.FaultNotIronic,
	} {
		url := raw(t, answer)
		f := asFault(list(t.Context(), client(t, url, Options{})))
		if f == nil || f.Kind != kind {
			t.Errorf("%q: %v, want %s", answer, f, kind)
		}
	}
}

func TestNothingStays(t *testing.T) {
	t.Parallel()
	f := newIronic(t, nodes("a"))
	c := client(t, f.URL, Options{})
	if err := list(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := list(t.Context(), c); err != nil {
		t.Errorf("a closed client connects again: %v", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	f := newIronicOf(t, 1, 82, replies(nodes("a"), ironicError(http.StatusServiceUnavailable, "busy"), nodes("a")))
	c := client(t, f.URL, Options{})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := list(t.Context(), c); err != nil {
				t.Error(err)
			}
			_, _ = c.Version()
			_ = c.Endpoint()
			_ = c.Refused()
		})
	}
	wg.Wait()
	if v, ok := c.Version(); v.Minor != 82 || !ok {
		t.Errorf("%v %v", v, ok)
	}
}
