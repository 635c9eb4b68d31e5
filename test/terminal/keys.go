package terminal

import (
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// The keys that have no letter, as a terminal sends them.
const (
	Enter     = "\r"
	Esc       = "\x1b"
	Tab       = "\t"
	ShiftTab  = "\x1b[Z"
	Backspace = "\x7f"
	Space     = " "
	Up        = "\x1b[A"
	Down      = "\x1b[B"
	Right     = "\x1b[C"
	Left      = "\x1b[D"
	Home      = "\x1b[H"
	End       = "\x1b[F"
	Insert    = "\x1b[2~"
	Delete    = "\x1b[3~"
	PageUp    = "\x1b[5~"
	PageDown  = "\x1b[6~"
	F1        = "\x1bOP"
	F2        = "\x1bOQ"
	CtrlA     = "\x01"
	CtrlC     = "\x03"
	CtrlD     = "\x04"
	CtrlE     = "\x05"
	CtrlL     = "\x0c"
	CtrlR     = "\x12"
	CtrlS     = "\x13"
	CtrlU     = "\x15"
	CtrlW     = "\x17"
	CtrlZ     = "\x1a"
)

// escPause is kept after Esc: what the program reads together with it is Alt and that key,
// and a busy machine lets a program wait.
const escPause = 400 * time.Millisecond

// stuck is how long a program may leave its input unread before what is typed gets lost.
const stuck = 10 * time.Second

// keyboard is what is typed on.
type keyboard struct {
	mu   sync.Mutex
	esc  time.Time // when Esc was the last key
	lost error     // what could not be typed first
}

// Type types keys, one or many in each argument:
//
//	s.Type("/", "gp-2x", terminal.Enter)
//
// They arrive at once, except that there is a pause after an argument that is Esc. What
// is typed after the program's end is lost.
func (s *Screen) Type(keys ...string) {
	var burst strings.Builder
	for _, key := range keys {
		burst.WriteString(key)
		if key == Esc {
			s.strike(burst.String())
			burst.Reset()
		}
	}
	s.strike(burst.String())
}

// strike types keys and returns when it did.
func (s *Screen) strike(keys string) time.Time {
	if keys == "" {
		return time.Now()
	}
	s.keyboard.mu.Lock()
	pause := time.Until(s.keyboard.esc.Add(escPause))
	s.keyboard.mu.Unlock()
	if pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.ended:
		}
	}
	at := time.Now()
	s.send([]byte(keys))
	if strings.HasSuffix(keys, Esc) {
		s.keyboard.mu.Lock()
		s.keyboard.esc = time.Now()
		s.keyboard.mu.Unlock()
	}
	return at
}

// send gives the program bytes as its input.
func (s *Screen) send(data []byte) {
	s.keyboard.mu.Lock()
	defer s.keyboard.mu.Unlock()
	_ = s.tty.SetWriteDeadline(time.Now().Add(stuck))
	if _, err := s.tty.Write(data); err != nil && s.keyboard.lost == nil {
		s.keyboard.lost = err
	}
}

// Paste pastes a text: between the marks of a bracketed paste if the program asked for
// them, and with Enter for the ends of lines, as terminals do.
func (s *Screen) Paste(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", Enter)
	s.mu.Lock()
	bracketed := s.said.mode(ansi.ModeBracketedPaste)
	s.mu.Unlock()
	if bracketed {
		text = ansi.BracketedPasteStart + text + ansi.BracketedPasteEnd
	}
	s.strike(text)
}
