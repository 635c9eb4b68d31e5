package terminal

import (
	"bytes"
	"encoding/base64"
	"io"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// state is the part of the terminal's state that the program has set with control sequences.
type state struct {
	// modes holds the DEC modes that were set or reset. The emulator keeps separate cursor modes for each screen,
	// while a terminal has one for both screens.
	modes     map[ansi.DECMode]bool
	keyboards int  // the number of stacked keyboard protocols
	keyboard  bool // a protocol was turned on without stacking
	otherKeys bool // whether modifyOtherKeys is on
	shape     int  // the shape of the cursor
	title     string
	clipboard []string
}

// registerHandlers registers handlers for control sequences in the program's output. The emulator calls them while
// output is written to it, so mu is held.
func (s *Screen) registerHandlers(modern bool) {
	s.state.modes = map[ansi.DECMode]bool{}
	mode := func(on bool) func(ansi.Mode) {
		return func(mode ansi.Mode) {
			if dec, ok := mode.(ansi.DECMode); ok {
				s.state.modes[dec] = on
			}
		}
	}
	s.emulator.SetCallbacks(vt.Callbacks{
		EnableMode: mode(true), DisableMode: mode(false),
	})
	for _, command := range []int{0, 2} {
		// The emulator ignores a title that contains a semicolon.
		s.emulator.RegisterOscHandler(command, func(data []byte) bool {
			_, title, _ := bytes.Cut(data, []byte(";"))
			s.state.title = string(title)
			return true
		})
	}
	s.emulator.RegisterOscHandler(52, func(data []byte) bool {
		s.state.setClipboard(data)
		return true
	})
	// A handler that returns false leaves the sequence to the emulator.
	s.emulator.RegisterEscHandler('c', func() bool {
		s.state = state{modes: map[ansi.DECMode]bool{}, clipboard: s.state.clipboard}
		return false
	})
	s.onSequence(ansi.Command('>', 0, 'u'), 0, func(int) { s.state.keyboards++ })
	s.onSequence(ansi.Command('<', 0, 'u'), 1, func(n int) { s.state.keyboards = max(0, s.state.keyboards-max(1, n)) })
	s.onSequence(ansi.Command('=', 0, 'u'), 0, func(flags int) { s.state.keyboard = flags != 0 })
	s.onSequence(ansi.Command(0, ' ', 'q'), 0, func(shape int) { s.state.shape = shape })
	s.emulator.RegisterCsiHandler(ansi.Command('>', 0, 'm'), func(params ansi.Params) bool {
		if resource, _, _ := params.Param(0, 0); resource == 4 {
			value, _, _ := params.Param(1, 0)
			s.state.otherKeys = value != 0
		}
		return true
	})
	if modern {
		s.emulator.RegisterCsiHandler(ansi.Command('?', '$', 'p'), s.reportMode)
	}
}

// onSequence registers heard as the handler for command, which is a sequence with one number. heard is called with
// this number. If the sequence contains no number, heard is called with the argument missing.
func (s *Screen) onSequence(command, missing int, heard func(int)) {
	s.emulator.RegisterCsiHandler(command, func(params ansi.Params) bool {
		n, _, _ := params.Param(0, missing)
		heard(n)
		return false
	})
}

// reportMode responds to queries for modes that the emulator does not know until they are set.
func (s *Screen) reportMode(params ansi.Params) bool {
	n, _, _ := params.Param(0, 0)
	mode := ansi.DECMode(n)
	if mode != ansi.ModeSynchronizedOutput && mode != ansi.ModeUnicodeCore {
		return false
	}
	setting := ansi.ModeReset
	if s.state.modes[mode] {
		setting = ansi.ModeSet
	}
	_, _ = io.WriteString(s.emulator.InputPipe(), ansi.ReportMode(mode, setting))
	return true
}

// setClipboard handles "52;c;…" with base64 text. Like most terminals, it does not respond to a query for the
// clipboard.
func (d *state) setClipboard(data []byte) {
	parts := bytes.SplitN(data, []byte(";"), 3)
	if len(parts) != 3 || string(parts[2]) == "?" {
		return
	}
	if text, err := base64.StdEncoding.DecodeString(string(parts[2])); err == nil {
		d.clipboard = append(d.clipboard, string(text))
	}
}

// mode reports whether a mode is on. If the program has not changed the mode, the terminal's default applies.
func (d *state) mode(mode ansi.DECMode) bool {
	on, set := d.modes[mode]
	if !set {
		return mode == ansi.ModeTextCursorEnable || mode == ansi.ModeAutoWrap
	}
	return on
}

// Clipboard returns the strings that the program has copied with OSC 52, oldest first.
func (s *Screen) Clipboard() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.state.clipboard...)
}

// Title returns the title of the terminal's window.
func (s *Screen) Title() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.title
}

// AltScreen reports whether the alternate screen is shown.
func (s *Screen) AltScreen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emulator.IsAltScreen()
}
