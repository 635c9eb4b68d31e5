package main

import (
	"strings"
	"unicode/utf8"
)

// kind determines how the text of a cell is drawn.
type kind int

const (
	letters kind = iota // characters that every monospaced font contains, all with the same width
	symbol              // a character that may come from another font, centered in its cells
	frame               // lines from edge to edge, drawn as paths
	shade               // a gauge, drawn as a rectangle
)

// kindOf returns how the text of a cell is drawn.
func kindOf(text string) kind {
	r := first(text)
	_, isFrame := arms[r]
	_, isShade := shades[r]
	switch {
	case utf8.RuneCountInString(text) != 1:
		return symbol
	case isFrame:
		return frame
	case isShade:
		return shade
	case r >= ' ' && r <= '~', r > 0xa0 && r <= 0xff, r >= '‐' && r <= '…':
		return letters
	}
	return symbol
}

func first(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// arms maps each frame character to the edges of the cell that its lines reach from the center: left, right, up,
// down. The first two arms of a round corner define its curve.
var arms = map[rune]string{
	'─': "lr", '│': "ud", '┌': "rd", '┐': "ld", '└': "ru", '┘': "lu",
	'├': "rud", '┤': "lud", '┬': "lrd", '┴': "lru", '┼': "lrud",
	'╭': "dr", '╮': "ld", '╰': "ur", '╯': "lu",
}

// shades maps each character of a gauge to the share of the cell that is covered.
var shades = map[rune]float64{'░': 0.25, '▒': 0.5, '▓': 0.85, '█': 1}

// shadeInset is the space above and below a gauge, in pixels, which separates the gauges of two rows.
const shadeInset = 3.0

// framePath returns an SVG path along the lines of a run of frame characters that starts at x, y.
func framePath(text string, x, y float64) string {
	var d strings.Builder
	level := 0 // consecutive ─ not drawn yet
	flush := func(end float64) {
		if level > 0 {
			d.WriteString("M" + px(end-float64(level)*cellWidth) + " " + px(y+cellHeight/2) + "H" + px(end))
		}
		level = 0
	}
	for _, r := range text {
		if r == '─' {
			level++
		} else {
			flush(x)
			corner(&d, r, x, y)
		}
		x += cellWidth
	}
	flush(x)
	return d.String()
}

// corner draws one frame character.
func corner(d *strings.Builder, r rune, x, y float64) {
	middle := px(x+cellWidth/2) + " " + px(y+cellHeight/2)
	ends := map[rune]string{
		'l': px(x) + " " + px(y+cellHeight/2), 'r': px(x+cellWidth) + " " + px(y+cellHeight/2),
		'u': px(x+cellWidth/2) + " " + px(y), 'd': px(x+cellWidth/2) + " " + px(y+cellHeight),
	}
	reached := arms[r]
	if strings.ContainsRune("╭╮╰╯", r) {
		d.WriteString("M" + ends[rune(reached[0])] + "Q" + middle + " " + ends[rune(reached[1])])
		return
	}
	if reached == "ud" {
		d.WriteString("M" + ends['u'] + "V" + px(y+cellHeight))
		return
	}
	for _, arm := range reached {
		d.WriteString("M" + middle + "L" + ends[arm])
	}
}
