package vm

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// fakeQEMU answers in place of QEMU at the other end of a pipe.
type fakeQEMU struct {
	conn  net.Conn
	lines *bufio.Scanner
}

// next returns the arguments and the ID of the next command. The reply must contain the same ID.
func (f *fakeQEMU) next(t *testing.T) (arguments map[string]any, id int64) {
	t.Helper()
	if !f.lines.Scan() {
		t.Fatalf("no command: %v", f.lines.Err())
	}
	var c struct {
		Execute   string         `json:"execute"`
		Arguments map[string]any `json:"arguments"`
		ID        int64          `json:"id"`
	}
	if err := json.Unmarshal(f.lines.Bytes(), &c); err != nil {
		t.Fatal(err)
	}
	if c.Execute == "" {
		t.Fatalf("no command in %s", f.lines.Text())
	}
	return c.Arguments, c.ID
}

func (f *fakeQEMU) say(format string, args ...any) {
	_, _ = fmt.Fprintf(f.conn, format+"\r\n", args...)
}

// pairQMP returns a client and the fake QEMU to which it is connected, after the negotiation.
func pairQMP(t *testing.T, onEvent func(qmpEvent)) (*qmp, *fakeQEMU) {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { _ = far.Close() })
	f := &fakeQEMU{conn: far, lines: bufio.NewScanner(far)}
	go func() {
		f.say(`{"QMP": {"version": {"qemu": {"micro": 22, "minor": 2, "major": 7}}, "capabilities": ["oob"]}}`)
		_, id := f.next(t)
		f.say(`{"return": {}, "id": %d}`, id)
	}()
	q, err := newQMP(t.Context(), near, onEvent)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.close() })
	return q, f
}

func TestQMPCommandsAndEvents(t *testing.T) {
	events := make(chan qmpEvent, 4)
	q, f := pairQMP(t, func(e qmpEvent) { events <- e })
	go func() {
		_, id := f.next(t)
		f.say(`{"timestamp": {"seconds": 1, "microseconds": 2}, "event": "RESUME"}`)
		f.say(`{"return": {"status": "running", "running": true}, "id": %d}`, id)
	}()
	var status struct{ Status string }
	if err := q.run(t.Context(), "query-status", nil, &status); err != nil || status.Status != "running" {
		t.Errorf("got %v, %v", status, err)
	}
	if e := <-events; e.Event != "RESUME" {
		t.Errorf("event %v", e)
	}
	f.say(`{"event": "SHUTDOWN", "data": {"guest": true, "reason": "guest-reset"}}`)
	if e := <-events; e.Event != "SHUTDOWN" || !e.Data.Guest || e.Data.Reason != "guest-reset" {
		t.Errorf("event %v", e)
	}
}

func TestQMPRefusal(t *testing.T) {
	q, f := pairQMP(t, func(qmpEvent) {})
	go func() {
		arguments, id := f.next(t)
		f.say(`{"error": {"class": "GenericError", "desc": "Device '%v' is locked"}, "id": %d}`, arguments["id"], id)
	}()
	err := q.run(t.Context(), "eject", map[string]any{"id": "cd"}, nil)
	var refused *qmpError
	if !errors.As(err, &refused) || refused.Class != "GenericError" || refused.Desc != "Device 'cd' is locked" {
		t.Errorf("got %v", err)
	}
}

func TestQMPInvalidAnswer(t *testing.T) {
	q, f := pairQMP(t, func(qmpEvent) {})
	go func() {
		_, id := f.next(t)
		f.say(`{"return": "text", "id": %d}`, id)
	}()
	var answer struct{ Status string }
	err := q.run(t.Context(), "query-status", nil, &answer)
	if err == nil || !strings.HasPrefix(err.Error(), "QEMU command query-status: reading the answer: ") {
		t.Errorf("got %v", err)
	}
}

func TestQMPEndsWithQEMU(t *testing.T) {
	q, f := pairQMP(t, func(qmpEvent) {})
	go func() {
		f.next(t)
		_ = f.conn.Close()
	}()
	if err := q.run(t.Context(), "system_powerdown", nil, nil); !errors.Is(err, errQMPClosed) {
		t.Errorf("got %v", err)
	}
	if err := q.run(t.Context(), "quit", nil, nil); !errors.Is(err, errQMPClosed) {
		t.Errorf("later: got %v", err)
	}
}

func TestQMPOfAnotherProtocol(t *testing.T) {
	near, far := net.Pipe()
	go func() {
		_, _ = io.WriteString(far, "{}\n")
		_ = far.Close()
	}()
	if _, err := newQMP(t.Context(), near, func(qmpEvent) {}); err == nil {
		t.Error("a server without a greeting was accepted")
	}
	near, silent := net.Pipe()
	defer func() { _ = silent.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newQMP(ctx, near, func(qmpEvent) {}); err == nil {
		t.Error("a silent server was accepted")
	}
}
