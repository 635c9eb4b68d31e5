package sshserver

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// dial opens a connection without a handshake.
func (r *rig) dial() net.Conn {
	r.tb.Helper()
	c, err := (&net.Dialer{}).DialContext(r.tb.Context(), "tcp", r.address)
	if err != nil {
		r.tb.Fatal(err)
	}
	r.tb.Cleanup(func() { _ = c.Close() })
	return c
}

// closes checks that the server closes c.
func (r *rig) closes(c net.Conn) {
	r.tb.Helper()
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.Copy(io.Discard, c); err != nil && !strings.Contains(err.Error(), "reset") {
		r.tb.Errorf("the connection is still open: %v", err)
	}
}

func (r *rig) pending() int {
	r.server.gate.mu.Lock()
	defer r.server.gate.mu.Unlock()
	return r.server.gate.pending
}

func TestLimitOfSessions(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{Sessions: 3, PerUser: 2})
	first, second, third := r.connect(r.anna), r.connect(r.anna), r.connect(r.ben)
	a, b := r.console(first, 80, 24), r.console(second, 80, 24)
	r.shows(a, "anna")
	r.shows(b, "anna")
	if _, stderr, code := r.run(r.connect(r.anna), "", "exit 0"); code != 1 || !strings.Contains(stderr, "you have 2 sessions, which is the limit per user; close one") {
		t.Errorf("third session of anna: %q, %d", stderr, code)
	}
	c := r.console(third, 80, 24)
	r.shows(c, "ben")
	if _, stderr, code := r.run(r.connect(r.ben), "", "exit 0"); code != 1 || !strings.Contains(stderr, "all 3 sessions of this server are in use") {
		t.Errorf("fourth session: %q, %d", stderr, code)
	}
	_ = a.Close()
	r.until("a session has ended", func() bool { return r.sessions() == 2 })
	if _, stderr, code := r.run(r.connect(r.ben), "", "exit 4"); code != 4 {
		t.Errorf("after one has ended: %q, %d", stderr, code)
	}
	// Channels on which nothing is requested are limited, too.
	idle := r.connect(r.anna)
	for range 2 {
		r.session(idle)
	}
	if _, err := idle.NewSession(); err == nil || !strings.Contains(err.Error(), "too many sessions") {
		t.Errorf("third channel of a connection: %v", err)
	}
}

func TestLimitOfConnections(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{Rate: 3})
	for range 3 {
		r.connect(r.anna)
	}
	if _, err := r.try("anna", ssh.PublicKeys(r.anna)); err == nil {
		t.Error("the fourth connection in a minute was accepted")
	}
	r.until("the refusal is in the log", func() bool {
		return strings.Contains(r.log.String(), "too many connections from this address in a minute")
	})
}

// TestRateIsPerAddressAndMinute checks that the gate limits the connections from each address in each minute.
func TestRateIsPerAddressAndMinute(t *testing.T) {
	t.Parallel()
	g := newGate(Limits{Rate: 1}.withDefaults())
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		address string
		after   time.Duration
		refused bool
	}{{"a", 0, false}, {"a", time.Second, true}, {"b", time.Second, false}, {"b", 59 * time.Second, true}, {"a", time.Minute, false}, {"a", time.Minute, true}} {
		if why := g.enter(tt.address, at.Add(tt.after)); (why != "") != tt.refused {
			t.Errorf("%s after %s: %q", tt.address, tt.after, why)
		}
	}
	if g.pending != 3 || len(g.recent) != 1 {
		t.Errorf("%d pending, %d addresses", g.pending, len(g.recent))
	}
}

// TestOneAddressLeavesRoom checks that unauthenticated connections from one address take no more than a quarter of
// the places.
func TestOneAddressLeavesRoom(t *testing.T) {
	t.Parallel()
	g := newGate(Limits{Handshakes: 8}.withDefaults())
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	enter := func(address string, refused bool) {
		t.Helper()
		if why := g.enter(address, now); (why != "") != refused {
			t.Errorf("%s: %q", address, why)
		}
	}
	for range 2 {
		enter("a", false)
	}
	enter("a", true)
	enter("b", false)
	g.release("a")
	enter("a", false)
	enter("a", true)
	for _, address := range []string{"b", "c", "c", "d", "d"} {
		enter(address, false)
	}
	enter("e", true) // all places are taken
	if g.pending != 8 || len(g.from) != 4 {
		t.Errorf("%d pending, %v", g.pending, g.from)
	}
}

// loginLimit leaves a handshake enough time on a busy machine.
const loginLimit = 3 * time.Second

// TestHalfOpenHandshakes checks that connections that send nothing, or only their identification, are closed, and
// that other connections are accepted afterward.
func TestHalfOpenHandshakes(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{Handshakes: 16, Login: loginLimit})
	slow := []net.Conn{r.dial(), r.dial(), r.dial(), r.dial()}
	_, _ = io.WriteString(slow[1], "SSH-2.0-x\r\n")
	_, _ = io.WriteString(slow[2], "SSH-2.0-x\r\n\x00\x00\xff\xff")
	_, _ = io.WriteString(slow[3], strings.Repeat("x", 100))
	r.until("the gate is full", func() bool { return r.pending() == 4 })
	r.closes(r.dial())
	if !strings.Contains(r.log.String(), "too many connections from this address that have not authenticated") {
		t.Errorf("log: %s", r.log)
	}
	began := time.Now()
	for _, c := range slow {
		r.closes(c)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the handshakes ended after %s", took)
	}
	r.until("the gate is empty", func() bool { return r.pending() == 0 })
	if _, _, code := r.run(r.connect(r.anna), "", "exit 5"); code != 5 {
		t.Errorf("exit code %d", code)
	}
}

// TestConnectionsWithoutSessions checks that authenticated connections without a session do not count as
// unauthenticated, and that they are closed.
func TestConnectionsWithoutSessions(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{Handshakes: 8, Login: loginLimit, NoSession: loginLimit})
	var lonely []*ssh.Client
	for range 4 {
		lonely = append(lonely, r.connect(r.anna))
	}
	busy := r.connect(r.ben)
	s := r.console(busy, 80, 24)
	r.shows(s, "ben")
	for _, c := range lonely {
		_ = c.Wait() // the test times out if it stays open
	}
	_, _ = io.WriteString(s.in, "x")
	r.shows(s, "key 'x'")
	_ = s.Close()
	_ = busy.Wait()
}

func TestIdleSession(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{Idle: 2 * time.Second})
	c := r.connect(r.anna)
	s, typing := r.console(c, 80, 24), r.console(c, 80, 24)
	stop := make(chan struct{})
	var typed sync.WaitGroup
	typed.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
				_, _ = io.WriteString(typing.in, "x")
			}
		}
	})
	_, _, code := outcome(s.Wait(), &bytes.Buffer{}, &bytes.Buffer{})
	if code != exitFailed || !strings.Contains(s.out.String(), "session ended: no input for too long") {
		t.Errorf("%d: %s", code, &s.out)
	}
	close(stop)
	typed.Wait()
	if strings.Contains(typing.out.String(), "ended") {
		t.Error("the session with input ended too")
	}
}

// TestManyConnectionsAtOnce checks that each of 200 simultaneous connections gets the output of the command that it
// sent.
func TestManyConnectionsAtOnce(t *testing.T) {
	t.Parallel()
	const many = 200
	r := serve(t, Limits{Rate: 10 * many, Handshakes: 4 * many, PerUser: many, Sessions: many})
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			key, name := r.anna, "anna"
			if i%2 == 1 {
				key, name = r.ben, "ben"
			}
			c, err := r.try("x", ssh.PublicKeys(key))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			defer func() { _ = c.Close() }()
			s, err := c.NewSession()
			if err != nil {
				t.Error(err)
				return
			}
			if out, err := s.Output("args " + name); err != nil || string(out) != `["`+name+`"]` {
				t.Errorf("%s: %q, %v", name, out, err)
			}
		})
	}
	all.Wait()
	r.until("nothing is left", func() bool { return r.sessions() == 0 && r.pending() == 0 })
}
