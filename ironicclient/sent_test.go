package ironicclient

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ironworks/models"
	"ironworks/models/request"
)

// breakingConn is a connection on which the request can be written, but reading the response fails with err.
type breakingConn struct {
	net.Conn
	err   error
	wrote chan struct{}
	once  sync.Once
}

func (c *breakingConn) Read([]byte) (int, error) {
	<-c.wrote
	return 0, &net.OpError{Op: "read", Net: "tcp", Err: c.err}
}

func (c *breakingConn) Write(p []byte) (int, error) {
	defer c.once.Do(func() { close(c.wrote) })
	return c.Conn.Write(p)
}

// TestBrokenAfterTheRequestWasWritten checks that a change is not sent again if reading the response fails, because
// the change may have been carried out. This must not depend on the error that the operating system reports.
func TestBrokenAfterTheRequestWasWritten(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]error{
		"reset":           syscall.ECONNRESET,
		"refused (ICMP)":  syscall.ECONNREFUSED,
		"host gone":       syscall.EHOSTUNREACH,
		"network gone":    syscall.ENETUNREACH,
		"malformed":       errors.New("malformed HTTP response \"x\""),
		"TLS alert":       errors.New("remote error: tls: internal error"),
		"something else":  errors.New("input/output error"),
		"network is down": syscall.ENETDOWN,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronic(t, reply(http.StatusAccepted, ""))
			c := client(t, f.URL, Options{})
			dials := 0
			transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				dials++
				conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
				return &breakingConn{Conn: conn, err: broken, wrote: make(chan struct{})}, err
			}}
			t.Cleanup(transport.CloseIdleConnections)
			c.http = &http.Client{Transport: transport}
			_, err := c.Send(t.Context(), request.Power("n", models.TargetOn))
			if fault := asFault(err); fault == nil || !fault.Sent || dials != 1 {
				t.Errorf("%d connections: %+v", dials, fault)
			}
		})
	}
}

// TestClientCertificateRefused checks that a request does not count as sent if the server refuses the client
// certificate. With TLS 1.3, the alert arrives after the request was written, but the server has not read the
// request.
func TestClientCertificateRefused(t *testing.T) {
	t.Parallel()
	f := newTLSIronic(t, issue(t, "ironic", authority(t), nil), func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert })
	_, err := connect(t, models.Connection{Endpoint: f.URL, TLS: models.TLS{Insecure: true}}, Options{}).Send(t.Context(), request.Power("n", models.TargetOn))
	if fault := mustFault(t, err, models.FaultTLS); fault.Sent {
		t.Errorf("%+v", fault)
	}
}

// TestErrorAnswersToChanges sends changes to which Ironic or a proxy responds with an error. It checks whether the
// change counts as possibly carried out, and whether it is repeated.
func TestErrorAnswersToChanges(t *testing.T) {
	t.Parallel()
	proxy := func(status int, body string) handler { return reply(status, body) }
	object := func(status int, text string) handler {
		return reply(status, fmt.Sprintf(`{"error_message": {"faultcode": "Server", "faultstring": %q, "debuginfo": null}}`, text))
	}
	for name, tt := range map[string]struct {
		answer handler
		bare   bool
		sent   bool
		again  bool
	}{
		"Ironic has no worker":              {ironicError(503, "Requested action cannot be performed due to lack of free conductor workers."), false, false, true},
		"Ironic has no worker, as 39 says":  {object(503, "Requested action cannot be performed due to lack of free conductor workers."), false, false, true},
		"a proxy's 503":                     {proxy(503, "<html>upstream connect error or disconnect/reset before headers"), true, true, false},
		"a proxy's 503 in JSON":             {proxy(503, `{"message": "upstream reset"}`), true, true, false},
		"a proxy's 503 with Ironic's names": {proxy(503, ``), false, true, false},
		"a proxy's 502":                     {proxy(502, `<html>`), true, true, false},
		"a proxy's 504":                     {proxy(504, ``), true, true, false},
		"Ironic failed":                     {ironicError(500, "boom"), false, true, false},
		"a proxy failed":                    {proxy(500, ``), true, true, false},
		"Ironic timed out":                  {ironicError(500, "Timed out waiting for a reply to message ID 1"), false, true, false},
		"a full disk":                       {proxy(507, ``), true, true, false},
		"locked":                            {ironicError(409, lockedText), false, false, true},
		"a conflict":                        {ironicError(409, "no"), false, false, false},
		"a bad request":                     {ironicError(400, "no"), false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronic(t, tt.answer)
			f.bare = tt.bare
			c := client(t, f.URL, Options{Retry: RetryPolicy{Tries: 3}})
			for _, send := range []func() error{
				func() error { _, err := c.Send(t.Context(), request.Power("n", models.TargetOn)); return err },
				func() error { _, err := c.CreateNode(t.Context(), map[string]any{"driver": "x"}); return err },
				func() error { return c.DeleteNode(t.Context(), "n") },
			} {
				before := len(f.all())
				fault := asFault(send())
				want := 1
				if tt.again {
					want = 3
				}
				if requests := len(f.all()) - before; fault == nil || fault.Sent != tt.sent || requests != want {
					t.Errorf("%d requests, want %d: %+v", requests, want, fault)
				}
				if fault != nil && fault.Sent != strings.Contains(fault.Hint, "check the node") {
					t.Errorf("hint %q", fault.Hint)
				}
			}
		})
	}
}

// TestReadsAreRepeated checks that a GET request is repeated after any 503 response, because a GET request changes
// nothing.
func TestReadsAreRepeated(t *testing.T) {
	t.Parallel()
	f := newIronic(t, replies(reply(503, "<html>"), nodes("a")))
	if err := list(t.Context(), client(t, f.URL, Options{})); err != nil || len(f.all()) != 2 {
		t.Errorf("%d requests: %v", len(f.all()), err)
	}
}
