package main

import (
	"bytes"
	"image/color"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ironworks/test/terminal"
)

// cellsFrom returns a row of cells with the given style and texts. The right half of a wide character is a cell
// without text.
func cellsFrom(style terminal.Cell, texts ...string) []terminal.Cell {
	var row []terminal.Cell
	for _, text := range texts {
		style.Text = text
		row = append(row, style)
		if terminalWidth(text) == 2 {
			style.Text = ""
			row = append(row, style)
		}
	}
	return row
}

func letterCells(text string) []terminal.Cell {
	return cellsFrom(terminal.Cell{}, strings.Split(text, "")...)
}

func TestTextKeepsItsCells(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"words":            "  two  words   and more ",
		"blanks alone":     "     ",
		"glyphs":           "❯ ✖ failed · 3…",
		"a gauge":          "▓▓▓░ 61%",
		"a frame":          "╭─ title ──╮",
		"wide characters":  "機器 rack",
		"markup":           `<script>alert("1")</script> & &amp; ]]>`,
		"an attribute":     `" onload="x`,
		"other directions": "שלום x",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cells := [][]terminal.Cell{nil, letterCells(text)}
			svg := render(cells, name)
			if got, want := visibleText(t, svg, len(cells[1]), 2), undrawn(cells); !slices.Equal(got, want) {
				t.Errorf("%q, want %q\n%s", got, want, svg)
			}
			if !bytes.Equal(svg, render(cells, name)) {
				t.Error("the same cells give different bytes")
			}
		})
	}
}

func TestHostileText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"markup in a cluster": {"<script>", "<script>"},
		"NUL":                 {"\x00", "\ufffd"},
		"escape":              {"\x1b[31m", "\ufffd[31m"},
		"C1":                  {"\u009b", "\ufffd"},
		"a line break":        {"a\nb", "a\ufffdb"},
		"not UTF-8":           {"\xff\xfe", "\ufffd\ufffd"},
		"no character":        {"\uffff", "\ufffd"},
		"turned around":       {"\u202e", "\ufffd"},
		"an accent":           {"e\u0301", "e\u0301"},
		"joined emoji":        {"a\u200db", "a\u200db"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			svg := render([][]terminal.Cell{{{Text: c.text}}}, c.text)
			if got := visibleText(t, svg, 1, 1); got[0] != c.want {
				t.Errorf("%q, want %q\n%s", got, c.want, svg)
			}
		})
	}
}

func TestLooks(t *testing.T) {
	t.Parallel()
	green := color.RGBA{R: 0x7c, G: 0xc8, B: 0x8f, A: 0xff}
	for name, c := range map[string]struct {
		cells  []terminal.Cell
		want   []string
		absent string
	}{
		"the terminal's own": {letterCells("x"), []string{`fill="#e6edf3">x<`}, `height="18"`},
		"a color":            {cellsFrom(terminal.Cell{Foreground: green}, "x"), []string{`fill="#7cc88f">x<`}, ""},
		"one of sixteen":     {cellsFrom(terminal.Cell{Foreground: ansi.BasicColor(1)}, "x"), []string{`fill="#800000">x<`}, ""},
		"one of 256":         {cellsFrom(terminal.Cell{Foreground: ansi.IndexedColor(231)}, "x"), []string{`fill="#ffffff">x<`}, ""},
		"bold":               {cellsFrom(terminal.Cell{Bold: true}, "x"), []string{`font-weight="bold">x<`}, ""},
		"italic":             {cellsFrom(terminal.Cell{Italic: true}, "x"), []string{`font-style="italic">x<`}, ""},
		"faint":              {cellsFrom(terminal.Cell{Faint: true}, "x"), []string{`fill="#8f959b">x<`}, ""},
		"underlined":         {cellsFrom(terminal.Cell{Underline: true}, "x", " "), []string{`<path d="M12 27.5h16.8" stroke="#e6edf3"/>`}, ""},
		"reverse":            {cellsFrom(terminal.Cell{Reverse: true}, "x", " "), []string{`<rect x="12" y="12" width="16.8" height="18" fill="#e6edf3"/>`, `fill="#0d1117">x<`}, ""},
		"a background":       {cellsFrom(terminal.Cell{Background: green}, " "), []string{`<rect x="12" y="12" width="8.4" height="18" fill="#7cc88f"/>`}, "<text"},
		"a symbol":           {letterCells("✖"), []string{`<text x="16.2" y="25.5" text-anchor="middle" fill="#e6edf3">✖</text>`}, ""},
		"a wide one":         {letterCells("機"), []string{`<text x="20.4" y="25.5" text-anchor="middle" fill="#e6edf3">機</text>`}, ""},
		"two symbols":        {letterCells("●●"), []string{`x="16.2"`, `x="24.6"`}, ""},
		"a gauge":            {letterCells("▓▓░"), []string{`width="16.8" height="12" fill="#e6edf3" fill-opacity="0.85"`, `width="8.4" height="12" fill="#e6edf3" fill-opacity="0.25"`}, "<text"},
		"a frame":            {letterCells("╭──╮"), []string{`<path d="M16.2 30Q16.2 21 20.4 21M20.4 21H37.2M37.2 21Q41.4 21 41.4 30" stroke="#e6edf3"/>`}, "<text"},
		"an edge":            {letterCells("│"), []string{`<path d="M16.2 12V30" stroke="#e6edf3"/>`}, "<text"},
		"where lines meet":   {letterCells("├"), []string{`<path d="M16.2 21L20.4 21M16.2 21L16.2 12M16.2 21L16.2 30" stroke="#e6edf3"/>`}, "<text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			svg := string(render([][]terminal.Cell{c.cells}, name))
			for _, want := range c.want {
				if !strings.Contains(svg, want) {
					t.Errorf("no %s in\n%s", want, svg)
				}
			}
			if c.absent != "" && strings.Contains(svg, c.absent) {
				t.Errorf("unexpected %s in\n%s", c.absent, svg)
			}
		})
	}
}

func TestCorners(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"╭": "M4.2 18Q4.2 9 8.4 9", "╮": "M0 9Q4.2 9 4.2 18", "╰": "M4.2 0Q4.2 9 8.4 9", "╯": "M0 9Q4.2 9 4.2 0",
		"┌": "M4.2 9L8.4 9M4.2 9L4.2 18", "───": "M0 9H25.2", "─│─": "M0 9H8.4M12.6 0V18M16.8 9H25.2",
	} {
		if got := framePath(text, 0, 0); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestAFilmShowsOneScreenAtATime(t *testing.T) {
	t.Parallel()
	film := string(animate([]scene{
		{[][]terminal.Cell{letterCells("a")}, time.Second},
		{[][]terminal.Cell{letterCells("b")}, 2 * time.Second},
		{[][]terminal.Cell{letterCells("c")}, time.Second},
	}, "film"))
	for _, want := range []string{
		`<g visibility="visible"><animate attributeName="visibility" calcMode="discrete" values="visible;hidden" keyTimes="0;0.2500" dur="4.0s" repeatCount="indefinite"/>`,
		`<g visibility="hidden"><animate attributeName="visibility" calcMode="discrete" values="hidden;visible;hidden" keyTimes="0;0.2500;0.7500" dur="4.0s" repeatCount="indefinite"/>`,
		`<g visibility="hidden"><animate attributeName="visibility" calcMode="discrete" values="hidden;visible" keyTimes="0;0.7500" dur="4.0s" repeatCount="indefinite"/>`,
	} {
		if !strings.Contains(film, want) {
			t.Errorf("no %s in\n%s", want, film)
		}
	}
}
