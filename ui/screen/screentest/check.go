package screentest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ironworks/test/golden"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// Hostile returns node names that try to control the terminal or to break the layout. The keys describe the names.
func Hostile() map[string]string {
	return map[string]string{
		"escape":  "n\x1b[2J\x1b]0;owned\x07\x1b[31mred",
		"bidi":    "n\u202egnp.exe\u2066x",
		"long":    strings.Repeat("0123456789", 1000),
		"wide":    "节点节点节点节点节点节点节点节点节点节点节点节点节点节点",
		"cluster": strings.Repeat("👩‍👩‍👧‍👦é́́", 40),
		"broken":  "n\xff\xfe\n\r\tz",
		"quotes":  `a'b"c $(reboot) ` + "`x`",
		"empty":   "",
	}
}

// Sizes returns the sizes at which screens are tested. Each size is a width and a height in cells.
func Sizes() [][2]int {
	sizes := [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {2, 3}, {3, 2}, {20, 5}, {80, 20}, {80, 3}, {33, 11}, {200, 46}, {121, 7}, {400, 90}}
	for w := 1; w < 60; w += 7 {
		for h := 1; h < 12; h += 3 {
			sizes = append(sizes, [2]int{w, h})
		}
	}
	return sizes
}

// CheckSizes draws a screen at many sizes. The test fails if a drawing has the wrong size or contains control
// sequences other than colors.
func CheckSizes(t *testing.T, s screen.Screen) {
	t.Helper()
	th := theme.New(theme.Options{})
	for _, size := range Sizes() {
		Check(t, s.Draw(th, size[0], size[1]), size[0], size[1])
	}
}

// Check fails the test if the drawing is not w by h cells, or contains control sequences except colors.
func Check(t *testing.T, drawn string, w, h int) {
	t.Helper()
	if h <= 0 {
		if drawn != "" {
			t.Errorf("%dx%d: %q", w, h, drawn)
		}
		return
	}
	lines := strings.Split(drawn, "\n")
	if len(lines) != h {
		t.Errorf("%dx%d: %d lines", w, h, len(lines))
	}
	for i, line := range lines {
		if got := cell.Width(line); got != max(w, 0) {
			t.Errorf("%dx%d: line %d has %d cells: %q", w, h, i, got, line)
		}
		for _, r := range ansi.Strip(line) {
			if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u202e' || r == '\u2066' || r == '\u200d' {
				t.Errorf("%dx%d: line %d has %q", w, h, i, r)
			}
		}
	}
}

// Text draws a screen and returns its text without styles and without trailing spaces.
func Text(s screen.Screen, w, h int) string {
	lines := strings.Split(ansi.Strip(s.Draw(theme.New(theme.Options{}), w, h)), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// OverlayText draws a dialog and returns its text without styles.
func OverlayText(o screen.Overlay, w, h int) string {
	return ansi.Strip(o.Draw(theme.New(theme.Options{}), w, h))
}

// CheckOverlay fails the test if a dialog contains control sequences other than colors.
func CheckOverlay(t *testing.T, o screen.Overlay) {
	t.Helper()
	for _, size := range [][2]int{{80, 20}, {200, 46}, {40, 10}} {
		for _, line := range strings.Split(o.Draw(theme.New(theme.Options{}), size[0], size[1]), "\n") {
			Check(t, cell.Fit(line, size[0]), size[0], 1)
		}
	}
}

// Golden compares a screen with its golden files at two typical sizes, 80x20 and 200x46.
func Golden(t *testing.T, s screen.Screen, name string) {
	t.Helper()
	for _, size := range []struct {
		suffix string
		w, h   int
	}{{"80x20", 80, 20}, {"200x46", 200, 46}} {
		got := Text(s, size.w, size.h) + "\n"
		Check(t, s.Draw(theme.New(theme.Options{}), size.w, size.h), size.w, size.h)
		path := filepath.Join("testdata", name+"."+size.suffix+".golden")
		golden.Compare(t, path, got)
	}
}

// Shows fails the test if the drawn screen lacks any of the given texts.
func Shows(t *testing.T, s screen.Screen, w, h int, texts ...string) {
	t.Helper()
	got := Text(s, w, h)
	for _, want := range texts {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

// Lacks fails the test if the drawn screen contains any of the given texts.
func Lacks(t *testing.T, s screen.Screen, w, h int, texts ...string) {
	t.Helper()
	got := Text(s, w, h)
	for _, not := range texts {
		if strings.Contains(got, not) {
			t.Errorf("%q is in:\n%s", not, got)
		}
	}
}

// Main runs the tests of a package in the UTC time zone.
func Main(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}
