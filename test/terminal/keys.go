package terminal

import (
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// The byte sequences that a terminal sends for keys without a letter.
const (
	Enter     = "\r"
	Esc       = "\x1b"
	Tab       = "\t"
	ShiftTab  = "\x1b[Z"
	Backspace = "\x7f"
	Up        = "\x1b[A"
	Down      = "\x1b[B"
	Right     = "\x1b[C"
	Home      = "\x1b[H"
	End       = "\x1b[F"
	F1        = "\x1bOP"
	F2        = "\x1bOQ"
	CtrlC     = "\x03"
	CtrlD     = "\x04"
	CtrlL     = "\x0c"
	CtrlR     = "\x12"
	CtrlS     = "\x13"
	CtrlU     = "\x15"
	CtrlZ     = "\x1a"
)

// escPause is the pause after Esc. A program that reads Esc and another key together interprets them as Alt and that
// key. Without the pause, this happens on a busy machine, where the program reads late.
const escPause = 400 * time.Millisecond

// writeTimeout is the time for which a program may leave its input unread before typed keys get lost.
const writeTimeout = 10 * time.Second

// keyboard holds the state of typing into a Screen.
type keyboard struct {
	mu   sync.Mutex
	esc  time.Time // the time of Esc, if it was the last key
	lost error     // the first error while typing
}

// Type types keys, one or more in each argument:
//
//	s.Type("/", "gp-2x", terminal.Enter)
//
// They are sent at once, except for a pause after an argument that is Esc. Keys typed after the program's end are lost.
func (s *Screen) Type(keys ...string) {
	var burst strings.Builder
	for _, key := range keys {
		burst.WriteString(key)
		if key == Esc {
			s.typeKeys(burst.String())
			burst.Reset()
		}
	}
	s.typeKeys(burst.String())
}

// typeKeys types keys and returns the time at which they are typed.
func (s *Screen) typeKeys(keys string) time.Time {
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

// send writes bytes to the program's input.
func (s *Screen) send(data []byte) {
	s.keyboard.mu.Lock()
	defer s.keyboard.mu.Unlock()
	_ = s.tty.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := s.tty.Write(data); err != nil && s.keyboard.lost == nil {
		s.keyboard.lost = err
	}
}

// Paste pastes text as terminals do: with Enter in place of line ends, and as a bracketed paste if the program has
// turned that on.
func (s *Screen) Paste(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", Enter)
	s.mu.Lock()
	bracketed := s.state.mode(ansi.ModeBracketedPaste)
	s.mu.Unlock()
	if bracketed {
		text = ansi.BracketedPasteStart + text + ansi.BracketedPasteEnd
	}
	s.typeKeys(text)
}

// Click clicks with the left button at the first place where text is shown, and reports whether it did so. It does
// not click if the text is not shown or the program has not enabled mouse reports.
func (s *Screen) Click(text string) bool {
	s.mu.Lock()
	wanted := s.state.mode(ansi.ModeMouseExtSgr) && (s.state.mode(ansi.ModeMouseButtonEvent) || s.state.mode(ansi.ModeMouseAnyEvent) || s.state.mode(ansi.ModeMouseNormal))
	s.mu.Unlock()
	x, y, found := s.Find(text)
	if !found || !wanted {
		return false
	}
	s.typeKeys(ansi.MouseSgr(0, x, y, false) + ansi.MouseSgr(0, x, y, true))
	return true
}
