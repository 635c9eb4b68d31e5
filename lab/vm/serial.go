package vm

import (
	"context"
	"io"
	"net"
	"os"
	"sync"

	"ironworks/lab/accept"
)

// Serial is a machine's serial line, which outlives the boots of the machine. The machine's output goes to all
// connections and into a file; input from the connections goes to the machine.
type Serial struct {
	path    string
	onFirst func() // called once, when the first byte arrives

	mu      sync.Mutex
	machine io.Writer // nil while the machine is off
	readers map[chan []byte]bool
	file    *os.File
	written int64
}

const (
	// serialFileSize is the size, in bytes, at which the file is renamed to FILE.1.
	serialFileSize = 8 << 20
	// serialBacklog is the number of chunks of output by which a connection may lag behind before it is closed.
	serialBacklog = 1024
)

// newSerial makes a serial line that is recorded in a file, or nowhere if the path is empty.
func newSerial(path string) *Serial {
	return &Serial{path: path, readers: map[chan []byte]bool{}}
}

// attach connects the line to a machine that was powered on, and forwards the machine's output until the output ends.
func (s *Serial) attach(machine io.ReadWriter) {
	s.mu.Lock()
	s.machine = machine
	s.mu.Unlock()
	buffer := make([]byte, 4096)
	for {
		n, err := machine.Read(buffer)
		if n > 0 {
			s.broadcast(append([]byte(nil), buffer[:n]...))
		}
		if err != nil {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.machine = nil
	if s.file != nil {
		_ = s.file.Close()
		s.file = nil
	}
}

func (s *Serial) broadcast(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.onFirst != nil {
		s.onFirst()
		s.onFirst = nil
	}
	s.record(text)
	for reader := range s.readers {
		select {
		case reader <- text:
		default: // the connection is too slow and is closed
			delete(s.readers, reader)
			close(reader)
		}
	}
}

// record appends text to the file, without errors: a full disk must not stop the machine. Called with mu held.
func (s *Serial) record(text []byte) {
	if s.path == "" {
		return
	}
	if s.file == nil {
		file, err := os.OpenFile(s.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return
		}
		s.file = file
		if info, err := file.Stat(); err == nil {
			s.written = info.Size()
		}
	}
	n, _ := s.file.Write(text)
	if s.written += int64(n); s.written >= serialFileSize {
		_ = s.file.Close()
		_ = os.Rename(s.path, s.path+".1")
		s.file, s.written = nil, 0
	}
}

// Write sends input to the machine. While the machine is off, the input is lost.
func (s *Serial) Write(input []byte) (int, error) {
	s.mu.Lock()
	machine := s.machine
	s.mu.Unlock()
	if machine != nil {
		_, _ = machine.Write(input) // the machine may have just been powered off
	}
	return len(input), nil
}

// Serve connects every client of the listener to the serial line until ctx is done, and then closes the listener.
func (s *Serial) Serve(ctx context.Context, listener net.Listener) {
	accept.Serve(ctx, listener, s.connect)
}

func (s *Serial) connect(_ context.Context, conn net.Conn) {
	reader := make(chan []byte, serialBacklog)
	s.mu.Lock()
	s.readers[reader] = true
	s.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(s, conn)
	}()
	defer func() {
		_ = conn.Close()
		<-gone
		s.mu.Lock()
		delete(s.readers, reader)
		s.mu.Unlock()
	}()
	for {
		select {
		case text, more := <-reader:
			if !more {
				return
			}
			if _, err := conn.Write(text); err != nil {
				return
			}
		case <-gone:
			return
		}
	}
}
