package shell

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
)

// initiallyOn and initiallyOff list the DEC private modes that are on or off until a program changes them. The modes
// concern keys, colors, margins, the mouse, pasting and screens. The modes of the alternate screen come last, because
// some terminals store the other modes per screen.
var (
	initiallyOn  = []int{7, 25}
	initiallyOff = []int{1, 5, 6, 9, 66, 69, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026, 2027, 2031, 2048, 47, 1047, 1049}
)

// changes records which terminal modes a program has changed. Only these modes are reset, because redundant resets
// move the cursor in some terminals.
type changes struct {
	parser *ansi.Parser
	modes  map[int]bool // DEC private modes, as last set
	// keyboards counts the stacked keyboard protocols. The boolean fields are true if a sequence of their kind was
	// seen.
	keyboards                                                     int
	keyboard, otherKeys, insert, newLine, keypad, charset, margin bool
	style, shape, title                                           bool
	colors                                                        map[int]bool // dynamic colors, by the number of their OSC
}

func newChanges() *changes {
	c := &changes{parser: ansi.NewParser()}
	c.parser.SetDataSize(8) // data is not needed
	c.parser.SetHandler(ansi.Handler{Execute: c.control, HandleCsi: c.csi, HandleEsc: c.esc, HandleOsc: c.osc})
	c.forget()
	return c
}

// forget clears the recorded changes. It is also called when the program resets the terminal, because the reset
// reverts them.
func (c *changes) forget() {
	*c = changes{parser: c.parser, modes: map[int]bool{}, colors: map[int]bool{}}
}

// feed records the changes that a program's output makes.
func (c *changes) feed(p []byte) {
	for _, b := range p {
		c.parser.Advance(b)
	}
}

func (c *changes) control(b byte) {
	if b == '\x0e' { // shift out
		c.charset = true
	}
}

func (c *changes) esc(cmd ansi.Cmd) {
	switch at := cmd.Intermediate(); {
	case at == 0 && cmd.Final() == 'c':
		c.forget()
	case at == 0 && cmd.Final() == '=':
		c.keypad = true
	case at == '(' || at == ')':
		c.charset = true
	}
}

func (c *changes) csi(cmd ansi.Cmd, params ansi.Params) {
	number := func(missing int) int {
		n, _, _ := params.Param(0, missing)
		return n
	}
	switch string([]byte{cmd.Prefix(), cmd.Intermediate(), cmd.Final()}) {
	case "?\x00h", "?\x00l":
		params.ForEach(0, func(_, mode int, _ bool) { c.modes[mode] = cmd.Final() == 'h' })
	case "\x00\x00h":
		params.ForEach(0, func(_, mode int, _ bool) {
			c.insert, c.newLine = c.insert || mode == 4, c.newLine || mode == 20
		})
	case ">\x00u":
		c.keyboards++
	case "<\x00u":
		c.keyboards = max(0, c.keyboards-max(1, number(1)))
	case "=\x00u":
		c.keyboard = true
	case ">\x00m":
		c.otherKeys = c.otherKeys || number(0) == 4
	case "\x00\x00r", "\x00\x00s":
		c.margin = c.margin || cmd.Final() == 'r' || len(params) > 1
	case "\x00\x00m":
		c.style = true
	case "\x00 q":
		c.shape = true
	}
}

func (c *changes) osc(cmd int, _ []byte) {
	switch cmd {
	case 0, 1, 2:
		c.title = true
	case 4, 10, 11, 12:
		c.colors[cmd] = true
	}
}

// undo returns the sequences that undo the changes. It then forgets the changes.
func (c *changes) undo() string {
	var b strings.Builder
	if s := c.parser.State(); s != parser.GroundState && s != parser.Utf8State {
		b.WriteString("\x18") // ends the sequence in which the connection was lost
	}
	write := func(changed bool, sequence string) {
		if changed {
			b.WriteString(sequence)
		}
	}
	write(c.keyboards > 0, "\x1b[<"+strconv.Itoa(c.keyboards)+"u")
	write(c.keyboard, "\x1b[=0u")
	write(c.otherKeys, "\x1b[>4m")
	write(c.margin, "\x1b7\x1b[r\x1b8") // this sequence would move the cursor, so save and restore its position
	for _, mode := range initiallyOn {
		on, seen := c.modes[mode]
		write(seen && !on, "\x1b[?"+strconv.Itoa(mode)+"h")
	}
	for _, mode := range initiallyOff {
		write(c.modes[mode], "\x1b[?"+strconv.Itoa(mode)+"l")
	}
	write(c.insert, "\x1b[4l")
	write(c.newLine, "\x1b[20l")
	write(c.keypad, "\x1b>")
	write(c.charset, "\x0f\x1b(B\x1b)B")
	write(c.shape, "\x1b[0 q")
	write(c.style, "\x1b[m")
	for _, color := range slices.Sorted(maps.Keys(c.colors)) {
		b.WriteString("\x1b]" + strconv.Itoa(100+color) + "\x07")
	}
	write(c.title, "\x1b]2;\x07")
	c.parser.Reset()
	c.forget()
	return b.String()
}
