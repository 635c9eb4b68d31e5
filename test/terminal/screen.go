package terminal

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/vt"
)

// rawLimit is the minimum number of bytes of raw output that are kept.
const rawLimit = 1 << 20

// lastOutputLimit is the maximum time to wait for the last output of a program that has ended. The limit is only
// reached when a process that the program started still holds the terminal.
const lastOutputLimit = 2 * time.Second

// chunk is the result of one read, with its time.
type chunk struct {
	data []byte
	at   time.Time
}

// Screen is a terminal in which a program runs or ran. Its methods are safe for concurrent use. After the program's
// end, they show the last screen.
type Screen struct {
	cmd     *exec.Cmd
	tty     *os.File
	running sync.WaitGroup

	// chunks passes the output from the reader to the emulator, so that the time of arrival is taken immediately even
	// while the emulator is busy.
	chunks  chan chunk
	drained chan struct{} // closed when the last chunk has been shown
	ended   chan struct{} // closed when the program has been reaped, too

	keyboard keyboard
	timing   sync.Mutex // allows one Latency at a time

	// mu guards the fields below. A vt.SafeEmulator would not suffice: it returns pointers to cells that change
	// later, and cannot return the text, the cursor and the modes of the same moment.
	mu       sync.Mutex
	emulator *vt.Emulator
	defaults colors
	state    state
	changed  chan struct{} // closed and replaced with every output
	written  time.Time     // the time when the latest chunk was read
	bytes    int64
	raw      []byte
	watch    *watch // set while a Latency runs
}

// read reads the program's output until no process can write any more.
func (s *Screen) read() {
	defer close(s.chunks)
	buf := make([]byte, 64<<10)
	for {
		n, err := s.tty.Read(buf) // the error is EIO after the program exits
		if n > 0 {
			s.chunks <- chunk{data: append([]byte(nil), buf[:n]...), at: time.Now()}
		}
		if err != nil {
			return
		}
	}
}

// show writes the output to the emulator and wakes waiting goroutines.
func (s *Screen) show() {
	defer close(s.drained)
	for c := range s.chunks {
		s.mu.Lock()
		s.emulate(c.data)
		s.written = c.at
		s.bytes += int64(len(c.data))
		s.raw = append(s.raw, c.data...)
		if len(s.raw) > 2*rawLimit {
			s.raw = append([]byte(nil), s.raw[len(s.raw)-rawLimit:]...)
		}
		s.checkWatch(c.at)
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
	}
	// The emulator's Close races with its Read. Closing the pipe also ends Read.
	if pipe, ok := s.emulator.InputPipe().(interface{ Close() error }); ok {
		_ = pipe.Close()
	}
}

// emulate writes output to the emulator, one sequence at a time.
func (s *Screen) emulate(data []byte) {
	for len(data) > 0 {
		n := bytes.IndexByte(data[1:], '\x1b') + 1
		if n == 0 {
			n = len(data)
		}
		s.emulateSequence(data[:n])
		data = data[n:]
	}
}

// emulateSequence writes one sequence, and the text after it, to the emulator. A terminal clips scroll margins below
// the screen, but the emulator accepts them and then panics. Such margins arrive with output that was written before
// the screen became lower. After a panic, the margins are reset and the sequence is dropped, because the program
// repaints for the new size.
func (s *Screen) emulateSequence(sequence []byte) {
	defer func() {
		if recover() != nil {
			_, _ = s.emulator.WriteString("\x18\x1b[r")
		}
	}()
	_, _ = s.emulator.Write(sequence)
}

// respond writes the emulator's responses to the standard input of the program.
func (s *Screen) respond() {
	buf := make([]byte, 4096)
	for {
		n, err := s.emulator.Read(buf)
		if err != nil {
			return
		}
		s.send(buf[:n])
	}
}

// reap waits for the program and for its last output.
func (s *Screen) reap() {
	_ = s.cmd.Wait() // Wait sets ProcessState
	// This also ends the processes that the program left behind in its process group.
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	timer := time.NewTimer(lastOutputLimit)
	defer timer.Stop()
	select {
	case <-s.drained:
	case <-timer.C:
	}
	_ = s.tty.Close()
	<-s.drained
	close(s.ended)
}

// Bytes returns the number of bytes received so far.
func (s *Screen) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// Raw returns the output received so far, but at most the last MiB.
func (s *Screen) Raw() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]byte(nil), s.raw[max(0, len(s.raw)-rawLimit):]...)
}
