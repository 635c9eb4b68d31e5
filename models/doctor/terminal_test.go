package doctor_test

import (
	"testing"

	"ironworks/models/doctor"
)

func TestTerminalOf(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env  map[string]string
		want doctor.TerminalFacts
	}{
		"nothing is set": {nil, doctor.TerminalFacts{UTF8: true, Colours: "no colors"}},
		"the first locale counts": {
			map[string]string{"TERM": "xterm-256color", "LC_ALL": "C", "LANG": "en_US.UTF-8"},
			doctor.TerminalFacts{Term: "xterm-256color", Locale: "LC_ALL=C", Colours: "256 colors"},
		},
		"all colors": {
			map[string]string{"TERM": "xterm", "COLORTERM": "truecolor", "LANG": "en_US.utf8"},
			doctor.TerminalFacts{Term: "xterm", Locale: "LANG=en_US.utf8", UTF8: true, Colours: "all colors"},
		},
		"no colors are wanted": {map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, doctor.TerminalFacts{Term: "xterm", UTF8: true, Colours: "no colors (NO_COLOR)"}},
		"an old terminal":      {map[string]string{"TERM": "vt220"}, doctor.TerminalFacts{Term: "vt220", UTF8: true, Colours: "16 colors"}},
	} {
		if got := doctor.TerminalOf(func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
