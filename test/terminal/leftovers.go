package terminal

import (
	"fmt"
	"image/color"
	"slices"

	"github.com/charmbracelet/x/ansi"
)

// modeNames maps modes that programs may leave behind to their names.
var modeNames = map[ansi.DECMode]string{
	ansi.ModeCursorKeys:         "application cursor keys",
	ansi.ModeOrigin:             "origin mode",
	ansi.ModeAutoWrap:           "lines that do not wrap",
	ansi.ModeTextCursorEnable:   "hidden cursor",
	ansi.ModeNumericKeypad:      "application keypad",
	ansi.ModeLeftRightMargin:    "left and right margins",
	ansi.ModeMouseX10:           "mouse",
	ansi.ModeMouseNormal:        "mouse",
	ansi.ModeMouseHighlight:     "mouse",
	ansi.ModeMouseButtonEvent:   "mouse",
	ansi.ModeMouseAnyEvent:      "mouse",
	ansi.ModeMouseExtUtf8:       "mouse",
	ansi.ModeMouseExtSgr:        "mouse",
	ansi.ModeMouseExtUrxvt:      "mouse",
	ansi.ModeMouseExtSgrPixel:   "mouse",
	ansi.ModeFocusEvent:         "focus events",
	ansi.ModeBracketedPaste:     "bracketed paste",
	ansi.ModeSynchronizedOutput: "synchronized output",
	ansi.ModeUnicodeCore:        "grapheme clusters",
	ansi.ModeInBandResize:       "in-band resize",
}

// colors are the default colors of the terminal.
type colors struct{ foreground, background, cursor color.Color }

func (s *Screen) colors() colors {
	return colors{s.emulator.ForegroundColor(), s.emulator.BackgroundColor(), s.emulator.CursorColor()}
}

// Leftovers returns the sorted names of terminal modes that the program has changed and not restored. After the
// program's end there should be none. Leftovers does not check the kernel's line settings; a shell around the program
// can show them with stty.
func (s *Screen) Leftovers() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var left []string
	if s.emulator.IsAltScreen() {
		left = append(left, "alternate screen")
	}
	for mode := range s.state.modes {
		switch mode {
		case ansi.ModeAltScreen, ansi.ModeAltScreenSaveCursor, ansi.ModeSaveCursor:
			continue // the emulator knows the screen, and a saved cursor is harmless
		default:
		}
		if s.state.mode(mode) == (mode == ansi.ModeTextCursorEnable || mode == ansi.ModeAutoWrap) {
			continue
		}
		name := modeNames[mode]
		if name == "" {
			name = fmt.Sprintf("mode %d", mode)
		}
		left = append(left, name)
	}
	for name, is := range map[string]bool{
		"keyboard protocol": s.state.keyboards > 0 || s.state.keyboard,
		"modified keys":     s.state.otherKeys,
		"cursor shape":      s.state.shape != 0,
		"foreground color":  !same(s.colors().foreground, s.defaults.foreground),
		"background color":  !same(s.colors().background, s.defaults.background),
		"cursor color":      !same(s.colors().cursor, s.defaults.cursor),
	} {
		if is {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	return slices.Compact(left)
}

func same(a, b color.Color) bool {
	if a == nil || b == nil {
		return a == b
	}
	return color.NRGBA64Model.Convert(a) == color.NRGBA64Model.Convert(b)
}
