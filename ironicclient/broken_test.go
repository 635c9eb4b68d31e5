package ironicclient

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"ironworks/models"
	"ironworks/models/request"
	"ironworks/wire"
)

// TestCutChange checks that a change is not repeated if its connection is cut, because Ironic may have made the
// change.
func TestCutChange(t *testing.T) {
	t.Parallel()
	f := newIronic(t, hijacked(func(net.Conn) {}))
	c := client(t, f.URL, Options{})
	_, err := c.Send(t.Context(), request.Power("n", models.TargetOn))
	fault := mustFault(t, err, models.FaultReset)
	mustSay(t, fault, "closed the connection without an answer", "check the node before you retry")
	if !fault.Sent || len(f.all()) != 1 {
		t.Errorf("sent %v, %d requests", fault.Sent, len(f.all()))
	}
	if fault := mustFault(t, list(t.Context(), c), models.FaultReset); fault.Sent {
		t.Error("reading changes nothing")
	}
}

func TestGatewayOfAChange(t *testing.T) {
	t.Parallel()
	for status, sent := range map[int]bool{http.StatusBadGateway: true, http.StatusGatewayTimeout: true, http.StatusInternalServerError: true} {
		f := newIronic(t, reply(status, "<html>"))
		f.bare = true
		_, err := client(t, f.URL, Options{}).Send(t.Context(), request.Power("n", models.TargetOn))
		if fault := mustFault(t, err, models.FaultServer); fault.Sent != sent {
			t.Errorf("%d: %v", status, fault)
		}
	}
}

func TestTruncatedBody(t *testing.T) {
	t.Parallel()
	answer := func(framing, body string) handler {
		return hijacked(func(conn net.Conn) {
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\n%s: 1.1\r\n%s\r\n\r\n%s", maxHeader, framing, body)
		})
	}
	for name, h := range map[string]handler{
		"by length": answer("Content-Length: 500", `{"nodes":[`),
		"by chunks": answer("Transfer-Encoding: chunked", "a\r\n{\"nodes\":["),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronic(t, h)
			c := client(t, f.URL, Options{})
			mustSay(t, mustFault(t, list(t.Context(), c), models.FaultBadAnswer), "the answer from 127.0.0.1", "is incomplete")
			_, err := c.Send(t.Context(), request.Patch("n", nil))
			if fault := mustFault(t, err, models.FaultBadAnswer); !fault.Sent {
				t.Errorf("the change was answered: %v", fault)
			}
		})
	}
}

func TestUnreadableAnswerOfAChange(t *testing.T) {
	t.Parallel()
	f := newIronic(t, reply(http.StatusOK, `{"uuid":`))
	_, err := client(t, f.URL, Options{}).Send(t.Context(), request.Patch("n", []models.PatchOp{{Op: "add", Path: "/name", Value: "x"}}))
	if fault := mustFault(t, err, models.FaultBadAnswer); !fault.Sent || fault.RequestID != "req-7" {
		t.Errorf("%v", fault)
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	f := newIronic(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"nodes":[`)
		_, _ = w.Write(make([]byte, 4096))
	})
	c := client(t, f.URL, Options{})
	var err error
	if c.http, err = wire.NewClient(wire.Options{Timeout: DefaultTimeout, Largest: 1000}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.http.CloseIdleConnections)
	mustSay(t, mustFault(t, list(t.Context(), c), models.FaultBadAnswer), "the answer is too large")
}
