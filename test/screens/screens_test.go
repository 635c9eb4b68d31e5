package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"

	"ironworks/cmd"
	"ironworks/test/program"
	"ironworks/test/terminal"
)

func TestMain(m *testing.M) {
	program.TestMain(func() { os.Exit(cmd.Main()) }, func() (code int) {
		goleak.VerifyTestMain(m, goleak.Cleanup(func(c int) { code = c }))
		return code
	})
}

// visibleText returns the text of an SVG as the lines of a screen, without frames and gauges. Any mistake in the file
// fails the test.
func visibleText(t *testing.T, svg []byte, width, height int) []string {
	t.Helper()
	grid := make([][]string, height)
	for y := range grid {
		grid[y] = slices.Repeat([]string{" "}, width)
	}
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	var at xml.StartElement
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if !slices.Contains([]string{"svg", "title", "rect", "path", "g", "text"}, token.Name.Local) {
				t.Errorf("unexpected <%s>", token.Name.Local)
			}
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" || strings.Contains(a.Value, "url(") {
					t.Errorf("<%s> has %s=%q, which runs or loads something", token.Name.Local, a.Name.Local, a.Value)
				}
			}
			at = token
		case xml.CharData:
			if at.Name.Local == "text" {
				put(t, grid, at, string(token))
			}
		case xml.EndElement:
			at = xml.StartElement{}
		}
	}
	lines := make([]string, height)
	for y := range grid {
		lines[y] = strings.TrimRight(strings.Join(grid[y], ""), " ")
	}
	return lines
}

// put writes the text of an SVG element to the cells in which it is drawn.
func put(t *testing.T, grid [][]string, element xml.StartElement, text string) {
	t.Helper()
	value := func(name string) float64 {
		for _, a := range element.Attr {
			if a.Name.Local == name {
				v, err := strconv.ParseFloat(a.Value, 64)
				if err != nil {
					t.Errorf("%s=%q", name, a.Value)
				}
				return v
			}
		}
		return 0
	}
	x, y := (value("x")-margin)/cellWidth, (value("y")-baseline-margin)/cellHeight
	length, cells := value("textLength"), strings.Split(text, "")
	switch want := float64(utf8.RuneCountInString(text)) * cellWidth; {
	case length == 0: // the text is centered in its cells
		cells = append([]string{text}, make([]string, terminalWidth(text)-1)...)
		x -= float64(len(cells)) / 2
	case length < want-0.01 || length > want+0.01:
		t.Errorf("%q is %g wide, want %g", text, length, want)
	}
	column, line := int(x+0.01), int(y+0.01)
	if line < 0 || line >= len(grid) || column < 0 || column+len(cells) > len(grid[line]) {
		t.Errorf("%q is not on the screen: column %d of line %d", text, column, line)
		return
	}
	copy(grid[line][column:], cells)
}

// terminalWidth returns the number of cells that text occupies. It is correct only for the strings in these tests.
func terminalWidth(text string) int {
	if r := first(text); r >= 0x3000 && r < 0xfb00 {
		return 2
	}
	return 1
}

// undrawn returns the text of a screen in the form of visibleText, in which frames and gauges are blank.
func undrawn(cells [][]terminal.Cell) []string {
	lines := make([]string, len(cells))
	for y, row := range cells {
		var line strings.Builder
		for _, c := range row {
			if kind := kindOf(c.Text); c.Text != "" && (kind == frame || kind == shade) {
				line.WriteByte(' ')
			} else {
				line.WriteString(c.Text)
			}
		}
		lines[y] = strings.TrimRight(line.String(), " ")
	}
	return lines
}

func TestAScreenOfTheLab(t *testing.T) {
	t.Parallel()
	var taken album
	var at [][]terminal.Cell
	tour := tour{width: 100, height: 30, visit: func(c *camera) {
		c.snap("fleet", "the fleet", "r7-n01", "r7-n12", "1 conductor")
		c.press("?")
		c.snap("help", "keys", "Actions", "╰")
		at = c.until("help", shows("Actions"))
		*c.album = append(*c.album, shot{"again", render(at, "keys")})
		c.leave("Actions")
	}}
	if err := tour.shoot(t.Context(), program.Path(), &taken); err != nil {
		t.Fatal(err)
	}
	if len(taken) != 3 {
		t.Fatal(len(taken), "pictures")
	}
	for _, p := range taken {
		lines := visibleText(t, p.svg, 100, 30)
		if !strings.HasPrefix(lines[0], " ironworks  LAB  lab › fleet") {
			t.Errorf("%s: the header is %q", p.name, lines[0])
		}
		if len(p.svg) > 60_000 {
			t.Errorf("%s takes %d bytes", p.name, len(p.svg))
		}
	}
	if lines := visibleText(t, taken[0].svg, 100, 30); !row(lines, "   NAME", "STATE▴", "POWER") || !row(lines, "   r7-n12") {
		t.Errorf("the fleet is\n%s", strings.Join(lines, "\n"))
	}
	if got, want := visibleText(t, taken[2].svg, 100, 30), undrawn(at); !slices.Equal(got, want) {
		t.Errorf("the picture shows\n%s\nand the screen\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestPicturesShowTheLab(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"another Ironic": {" ironworks  rack7 › fleet   updated ≤1s ago", "────", "x"},
		"an empty one":   {""},
	} {
		if inLab(lines) {
			t.Errorf("%s passes as the lab", name)
		}
	}
	rule, foot := strings.Repeat("─", 40), "? keys"
	for name, c := range map[string]struct {
		lines []string
		want  bool
	}{
		"whole":                  {[]string{" ironworks  LAB  lab                updated ≤1s ago", rule, foot}, true},
		"connection lost":        {[]string{" ironworks  LAB  lab       14s old · retry", rule, foot}, false},
		"cut by a smaller size":  {[]string{" ironworks  LAB  lab       API 1.115 · 1 con", rule, ""}, false},
		"drawn for a small size": {[]string{" ironworks  LAB  lab    updated ≤1s ago", rule[:3*30], foot}, false},
	} {
		if got := drawn(c.lines, 40); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
