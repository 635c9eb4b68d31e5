package main

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ironworks/test/terminal"
)

// The dimensions of a picture in pixels. A cell is as wide as a character of most monospaced fonts, which is 0.6 em.
// Text in other fonts is stretched to fit the cells.
const (
	cellWidth  = 8.4
	cellHeight = 18.0
	fontSize   = 14
	baseline   = 13.5 // the distance from the upper edge of the cell
	margin     = 12.0
)

// The default colors of a dark terminal.
var (
	paper = color.RGBA{R: 0x0d, G: 0x11, B: 0x17, A: 0xff}
	ink   = color.RGBA{R: 0xe6, G: 0xed, B: 0xf3, A: 0xff}
)

// fonts lists fonts that most systems have installed, because a picture in a page cannot load fonts.
const fonts = "ui-monospace,SFMono-Regular,Menlo,DejaVu Sans Mono,Consolas,Liberation Mono,monospace"

// picture is an SVG under construction. Backgrounds are below lines, and lines below text.
type picture struct {
	backs, lines, texts strings.Builder
}

// look describes how a cell is painted.
type look struct {
	fill, back string // "#rrggbb"
	bold       bool
	italic     bool
	underline  bool
}

// run is a sequence of cells that are drawn together.
type run struct {
	x, cells int
	text     string
	kind     kind
	look
}

// render draws the cells of a screen. The same cells always produce the same bytes. Text stays text. It is split into
// pieces of one or more words, which are stretched so that every renderer keeps the grid, whatever the font. Frames
// and gauges are drawn as shapes, because fonts leave gaps in them.
func render(cells [][]terminal.Cell, title string) []byte {
	var b strings.Builder
	begin(&b, cells, title)
	screenful(&b, cells)
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// begin writes what precedes the cells: size, title, background.
func begin(b *strings.Builder, cells [][]terminal.Cell, title string) {
	columns := 0
	for _, row := range cells {
		columns = max(columns, len(row))
	}
	width, height := 2*margin+float64(columns)*cellWidth, 2*margin+float64(len(cells))*cellHeight
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" role="img">`+"\n", px(width), px(height))
	fmt.Fprintf(b, "<title>%s</title>\n", escape(title))
	fmt.Fprintf(b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", hex(paper))
}

// screenful writes the cells of one screen.
func screenful(b *strings.Builder, cells [][]terminal.Cell) {
	var p picture
	for y, row := range cells {
		p.row(y, row)
	}
	b.WriteString(p.backs.String())
	fmt.Fprintf(b, `<g fill="none" stroke-width="1.2">`+"\n%s</g>\n", p.lines.String())
	fmt.Fprintf(b, `<g font-family="%s" font-size="%d" style="font-variant-ligatures:none;font-variant-emoji:text">`+"\n%s</g>\n",
		fonts, fontSize, p.texts.String())
}

// row draws one row of cells: first their backgrounds, and then their contents.
func (p *picture) row(y int, cells []terminal.Cell) {
	for _, r := range runs(cells, func(a, b run) bool { return a.back == b.back }) {
		if r.back != hex(paper) {
			fmt.Fprintf(&p.backs, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n",
				px(left(r.x)), px(top(y)), px(float64(r.cells)*cellWidth), px(cellHeight), r.back)
		}
	}
	for _, r := range runs(cells, alike) {
		p.draw(y, r)
	}
}

// draw draws a run of cells, all of which have the same look and kind.
func (p *picture) draw(row int, r run) {
	x, y, width := left(r.x), top(row), float64(r.cells)*cellWidth
	if r.underline {
		fmt.Fprintf(&p.lines, `<path d="M%s %sh%s" stroke="%s"/>`+"\n", px(x), px(y+baseline+2), px(width), r.fill)
	}
	switch r.kind {
	case frame:
		fmt.Fprintf(&p.lines, `<path d="%s" stroke="%s"/>`+"\n", framePath(r.text, x, y), r.fill)
	case shade:
		fmt.Fprintf(&p.backs, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s" fill-opacity="%s"/>`+"\n",
			px(x), px(y+shadeInset), px(width), px(cellHeight-2*shadeInset), r.fill, px(shades[first(r.text)]))
	case symbol:
		fmt.Fprintf(&p.texts, `<text x="%s" y="%s" text-anchor="middle"%s>%s</text>`+"\n",
			px(x+width/2), px(y+baseline), r.attributes(), escape(r.text))
	case letters:
		p.words(row, r)
	}
}

// words writes a run of letters. It splits the text at consecutive spaces, which XML would merge.
func (p *picture) words(row int, r run) {
	at := r.x
	for _, piece := range strings.SplitAfter(r.text, "  ") {
		text := strings.TrimLeft(piece, " ")
		x := at + len(piece) - len(text)
		at += utf8.RuneCountInString(piece)
		text = strings.TrimRight(text, " ")
		if text == "" {
			continue
		}
		fmt.Fprintf(&p.texts, `<text x="%s" y="%s" textLength="%s" lengthAdjust="spacingAndGlyphs"%s>%s</text>`+"\n",
			px(left(x)), px(top(row)+baseline), px(float64(utf8.RuneCountInString(text))*cellWidth), r.attributes(), escape(text))
	}
}

// attributes returns the SVG attributes of text with this look.
func (l look) attributes() string {
	text := ` fill="` + l.fill + `"`
	if l.bold {
		text += ` font-weight="bold"`
	}
	if l.italic {
		text += ` font-style="italic"`
	}
	return text
}

// runs joins neighboring cells of a row that can be drawn together.
func runs(cells []terminal.Cell, joined func(a, b run) bool) []run {
	var all []run
	for x, c := range cells {
		if c.Text == "" && len(all) > 0 { // the right half of a wide character
			all[len(all)-1].cells++
			continue
		}
		next := run{x: x, cells: 1, text: cmp.Or(c.Text, " "), look: lookOf(c)}
		next.kind = kindOf(next.text)
		if len(all) == 0 || !joined(all[len(all)-1], next) {
			all = append(all, next)
			continue
		}
		last := &all[len(all)-1]
		last.cells++
		last.text += next.text
	}
	return all
}

// alike reports whether cell b can be drawn together with run a. A symbol is drawn alone, so that a wide glyph in
// some font does not move other text.
func alike(a, b run) bool {
	return a.look == b.look && a.kind == b.kind && a.kind != symbol && (a.kind != shade || first(a.text) == first(b.text))
}

// lookOf converts the style of a cell. Reverse video and faint text become plain colors.
func lookOf(c terminal.Cell) look {
	var fore, back color.Color = ink, paper
	if c.Foreground != nil {
		fore = c.Foreground
	}
	if c.Background != nil {
		back = c.Background
	}
	if c.Reverse {
		fore, back = back, fore
	}
	if c.Faint {
		fore = between(fore, back)
	}
	return look{fill: hex(fore), back: hex(back), bold: c.Bold, italic: c.Italic, underline: c.Underline}
}

// between returns a mix of two colors that is closer to the first one, like faint text on most terminals.
func between(a, b color.Color) color.Color {
	x, y := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	mix := func(a, b uint8) uint8 { return uint8((3*int(a) + 2*int(b)) / 5) }
	return color.RGBA{R: mix(x.R, y.R), G: mix(x.G, y.G), B: mix(x.B, y.B), A: 0xff}
}

func hex(c color.Color) string {
	rgb := color.RGBAModel.Convert(c).(color.RGBA)
	return fmt.Sprintf("#%02x%02x%02x", rgb.R, rgb.G, rgb.B)
}

func left(x int) float64 { return margin + float64(x)*cellWidth }

func top(y int) float64 { return margin + float64(y)*cellHeight }

// px formats a length with as few digits as possible.
func px(v float64) string {
	text := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// escape escapes text for XML. Control and formatting characters, which no screen shows, become U+FFFD: XML forbids
// some of them, and others would change the direction of the text.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && !slices.Contains(joiners, r), r&0xfffe == 0xfffe:
			b.WriteRune(unicode.ReplacementChar)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// joiners lists the formatting characters that belong to a letter.
var joiners = []rune{'\u200c', '\u200d'}
