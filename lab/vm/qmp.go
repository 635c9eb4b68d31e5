package vm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// qmpEvent is an asynchronous message from QEMU (docs/interop/qmp-spec).
type qmpEvent struct {
	Event string `json:"event"`
	Data  struct {
		Guest  bool   `json:"guest"`
		Reason string `json:"reason"`
	} `json:"data"`
}

// qmpError is QEMU's error for a command that it rejected.
type qmpError struct {
	Class string `json:"class"`
	Desc  string `json:"desc"`
}

func (e *qmpError) Error() string { return e.Desc }

// errQMPClosed is returned by commands once QEMU has closed the monitor.
var errQMPClosed = errors.New("the QEMU monitor is closed")

type qmpAnswer struct {
	content json.RawMessage
	err     error
}

// qmp is a client of the QEMU machine protocol. Its methods are safe for concurrent use.
type qmp struct {
	conn    io.ReadWriteCloser
	onEvent func(qmpEvent)
	done    chan struct{} // closed when the reader has ended

	mu      sync.Mutex
	nextID  int64
	waiting map[int64]chan qmpAnswer
}

// newQMP reads the greeting and negotiates with QEMU. A goroutine then delivers events, one at a time, until the
// connection is closed. onEvent must not call the client.
func newQMP(ctx context.Context, conn io.ReadWriteCloser, onEvent func(qmpEvent)) (*qmp, error) {
	q := &qmp{conn: conn, onEvent: onEvent, done: make(chan struct{}), waiting: map[int64]chan qmpAnswer{}}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	messages := json.NewDecoder(conn)
	var greeting struct {
		QMP *json.RawMessage `json:"QMP"`
	}
	if err := messages.Decode(&greeting); err != nil {
		return nil, fmt.Errorf("reading the greeting of QEMU: %w", err)
	}
	if greeting.QMP == nil {
		return nil, errors.New("reading the greeting of QEMU: not a QMP server")
	}
	go q.read(messages)
	if err := q.run(ctx, "qmp_capabilities", nil, nil); err != nil {
		_ = q.close()
		return nil, err
	}
	return q, nil
}

// read dispatches messages until the connection ends.
func (q *qmp) read(messages *json.Decoder) {
	defer close(q.done)
	for {
		var message struct {
			qmpEvent
			ID     int64           `json:"id"`
			Return json.RawMessage `json:"return"`
			Error  *qmpError       `json:"error"`
		}
		if messages.Decode(&message) != nil {
			return
		}
		switch {
		case message.Event != "":
			q.onEvent(message.qmpEvent)
		case message.Error != nil:
			q.answer(message.ID, qmpAnswer{err: message.Error})
		default:
			q.answer(message.ID, qmpAnswer{content: message.Return})
		}
	}
}

func (q *qmp) answer(id int64, a qmpAnswer) {
	q.mu.Lock()
	waiting := q.waiting[id]
	delete(q.waiting, id)
	q.mu.Unlock()
	if waiting != nil {
		waiting <- a // has room for one response
	}
}

// run sends a command and decodes its result into answer, unless answer is nil.
func (q *qmp) run(ctx context.Context, command string, arguments map[string]any, answer any) error {
	content, err := q.send(ctx, command, arguments)
	if err != nil {
		return fmt.Errorf("QEMU command %s: %w", command, err)
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(content, answer); err != nil {
		return fmt.Errorf("QEMU command %s: reading the answer: %w", command, err)
	}
	return nil
}

// send sends a command and returns its result.
func (q *qmp) send(ctx context.Context, command string, arguments map[string]any) (json.RawMessage, error) {
	waiting := make(chan qmpAnswer, 1)
	q.mu.Lock()
	q.nextID++
	id := q.nextID
	q.waiting[id] = waiting
	request := map[string]any{"execute": command, "id": id}
	if arguments != nil {
		request["arguments"] = arguments
	}
	err := json.NewEncoder(q.conn).Encode(request)
	q.mu.Unlock()
	defer q.answer(id, qmpAnswer{})
	if err != nil {
		return nil, errors.Join(errQMPClosed, err)
	}
	select {
	case a := <-waiting:
		return a.content, a.err
	case <-q.done:
		return nil, errQMPClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// close ends the connection and waits for the reader.
func (q *qmp) close() error {
	err := q.conn.Close()
	<-q.done
	return err
}
