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

// keptRaw is how much of the output is kept as it came.
const keptRaw = 1 << 20

// lingers is how long the last output of a program that has ended is waited for. It is
// reached only when something that the program started still holds the terminal.
const lingers = 2 * time.Second

// chunk is what one read returned, and when.
type chunk struct {
	data []byte
	at   time.Time
}

// Screen is a terminal in which a program runs or ran. Its methods may be called at any
// time from any goroutine, and after the program's end show the last screen.
type Screen struct {
	cmd      *exec.Cmd
	tty      *os.File
	patience time.Duration
	cast     *cast // nil when nothing is recorded
	running  sync.WaitGroup

	// chunks go from reading to showing, so that an arrival is noted at once even while
	// the emulator is busy.
	chunks  chan chunk
	drained chan struct{} // closed when the last chunk was shown
	ended   chan struct{} // closed when also the program was reaped

	keyboard keyboard
	timing   sync.Mutex // one Latency at a time

	// mu guards the rest. The emulator is the plain one because vt.SafeEmulator hands out
	// pointers into cells that change later, and cannot show text, cursor and modes of the
	// same moment.
	mu       sync.Mutex
	emulator *vt.Emulator
	own      colours
	said     said
	changed  chan struct{} // closed and replaced whenever something was shown
	written  time.Time     // when the latest chunk was read
	bytes    int64
	raw      []byte
	watch    *watch // of a Latency that is under way
}

// read takes what the program writes until nobody can write any more.
func (s *Screen) read() {
	defer close(s.chunks)
	buf := make([]byte, 64<<10)
	for {
		n, err := s.tty.Read(buf) // EIO once the program has gone
		if n > 0 {
			s.chunks <- chunk{data: append([]byte(nil), buf[:n]...), at: time.Now()}
		}
		if err != nil {
			return
		}
	}
}

// show gives the emulator what was read and wakes who waits for it.
func (s *Screen) show() {
	defer close(s.drained)
	for c := range s.chunks {
		if s.cast != nil {
			s.cast.output(c)
		}
		s.mu.Lock()
		s.emulate(c.data)
		s.written = c.at
		s.bytes += int64(len(c.data))
		s.raw = append(s.raw, c.data...)
		if len(s.raw) > 2*keptRaw {
			s.raw = append([]byte(nil), s.raw[len(s.raw)-keptRaw:]...)
		}
		s.watched(c.at)
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
	}
	// Close of the emulator is a data race with Read of it; this ends Read as well.
	if pipe, ok := s.emulator.InputPipe().(interface{ Close() error }); ok {
		_ = pipe.Close()
	}
}

// emulate gives the emulator some output, a sequence at a time.
func (s *Screen) emulate(data []byte) {
	for len(data) > 0 {
		n := bytes.IndexByte(data[1:], '\x1b') + 1
		if n == 0 {
			n = len(data)
		}
		s.obey(data[:n])
		data = data[n:]
	}
}

// obey has the emulator carry one sequence out, and the text behind it. It takes scroll
// margins that lie below the screen as they are and runs out of it, where a terminal cuts
// them off; such margins come with the output that was under way when the screen became
// lower. They are put back, and what ran out of the screen is left undone: the program
// paints anew for the new size.
func (s *Screen) obey(sequence []byte) {
	defer func() {
		if recover() != nil {
			_, _ = s.emulator.WriteString("\x18\x1b[r")
		}
	}()
	_, _ = s.emulator.Write(sequence)
}

// answer types what the emulator answers to the program's questions.
func (s *Screen) answer() {
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
	_ = s.cmd.Wait() // Wait reads the state
	// Whatever it left behind in its group goes too.
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	timer := time.NewTimer(lingers)
	defer timer.Stop()
	select {
	case <-s.drained:
	case <-timer.C:
	}
	_ = s.tty.Close()
	<-s.drained
	close(s.ended)
}

// Bytes is how much was received so far.
func (s *Screen) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// Raw is what was received so far, or its last MiB.
func (s *Screen) Raw() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]byte(nil), s.raw[max(0, len(s.raw)-keptRaw):]...)
}
