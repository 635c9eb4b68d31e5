package terminal

import (
	"fmt"
	"image/color"
	"slices"

	"github.com/charmbracelet/x/ansi"
)

// modeNames name the modes that programs leave behind.
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

// colours are the terminal's own.
type colours struct{ foreground, background, cursor color.Color }

func (s *Screen) colours() colours {
	return colours{s.emulator.ForegroundColor(), s.emulator.BackgroundColor(), s.emulator.CursorColor()}
}

// Leftovers name what the program has changed in its terminal and not changed back, in
// order: after its end there should be nothing. Whether it left the line editing of the
// kernel as it was cannot be seen from here; a shell around it can tell with stty.
func (s *Screen) Leftovers() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var left []string
	if s.emulator.IsAltScreen() {
		left = append(left, "alternate screen")
	}
	for mode := range s.said.modes {
		switch mode {
		case ansi.ModeAltScreen, ansi.ModeAltScreenSaveCursor, ansi.ModeSaveCursor:
			continue // the screen is asked itself, and a saved cursor does no harm
		default:
		}
		if s.said.mode(mode) == (mode == ansi.ModeTextCursorEnable || mode == ansi.ModeAutoWrap) {
			continue
		}
		name := modeNames[mode]
		if name == "" {
			name = fmt.Sprintf("mode %d", mode)
		}
		left = append(left, name)
	}
	for name, is := range map[string]bool{
		"keyboard protocol": s.said.keyboards > 0 || s.said.keyboard,
		"modified keys":     s.said.otherKeys,
		"cursor shape":      s.said.shape != 0,
		"foreground colour": !same(s.colours().foreground, s.own.foreground),
		"background colour": !same(s.colours().background, s.own.background),
		"cursor colour":     !same(s.colours().cursor, s.own.cursor),
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
