package ui

import (
	"bytes"
	"io"
)

// Limits, in bytes, on the input to a console on a server. They exist because Bubble Tea keeps a paste and an
// unfinished control sequence in memory until they end.
const (
	pasteMost    = 256 << 10
	sequenceMost = 4 << 10
)

// pasteBegins and pasteEnds are the control sequences around a paste (xterm's mode 2004). pasteBegins does not
// contain the introducer, which has already been read.
const (
	pasteBegins = "200~"
	pasteEnds   = "\x1b[201~"
)

// boundedInput reads the keyboard input of a client, which may send anything. It drops pastes and cuts off control
// sequences that are too long. It holds back a shorter paste until its end, and passes on everything else at once.
type boundedInput struct {
	from io.Reader
	// tooLong is called once for each dropped paste. It must not block.
	tooLong func()

	read [4 << 10]byte
	// ready holds the input that the next calls of Read return.
	ready bytes.Buffer
	state inputState
	// size is the length of the current sequence after its introducer, and start holds the sequence's first bytes.
	// continued is the number of bytes that are still missing from a UTF-8 character.
	size, continued int
	start           []byte
	// paste is the text of the paste so far. matched counts the bytes of pasteEnds that have just been read.
	paste   []byte
	matched int
	dropped bool
}

type inputState int

const (
	inputKeys   inputState = iota
	inputEscape            // after ESC
	inputCSI               // until the final byte
	inputString            // in an OSC, DCS, APC, PM or SOS string, until ST or BEL
	inputCut               // after ESC in an overlong control string that has already been ended
	inputPaste             // until pasteEnds
)

// Read implements io.Reader. It returns the input that was not dropped.
func (i *boundedInput) Read(p []byte) (int, error) {
	for i.ready.Len() == 0 {
		n, err := i.from.Read(i.read[:])
		for _, b := range i.read[:n] {
			i.feed(b)
		}
		if err != nil && i.ready.Len() == 0 {
			return 0, err
		}
	}
	return i.ready.Read(p)
}

func (i *boundedInput) feed(b byte) {
	switch i.state {
	case inputKeys:
		i.takeKey(b)
	case inputEscape:
		i.pass(b)
		switch b {
		case '[':
			i.begin(inputCSI)
		case ']', 'P', '_', '^', 'X':
			i.begin(inputString)
		case '\x1b':
		default:
			i.state = inputKeys
		}
	case inputCSI:
		i.takeCSI(b)
	case inputString:
		i.takeString(b)
	case inputCut:
		i.state = inputKeys
		if b != '\\' {
			i.takeKey('\x1b')
			i.feed(b)
		}
	case inputPaste:
		i.takePaste(b)
	}
}

func (i *boundedInput) pass(b byte) { i.ready.WriteByte(b) }

func (i *boundedInput) begin(s inputState) { i.state, i.size, i.start = s, 0, i.start[:0] }

// takeKey processes a byte of text. Bytes from 0x80 to 0x9F count as control characters only if they are not part of
// a UTF-8 character.
func (i *boundedInput) takeKey(b byte) {
	i.pass(b)
	switch {
	case i.continued > 0 && b&0xc0 == 0x80:
		i.continued--
		return
	case b == '\x1b':
		i.state = inputEscape
	case b == 0x9b:
		i.begin(inputCSI)
	case b == 0x90, b == 0x98, b == 0x9d, b == 0x9e, b == 0x9f:
		i.begin(inputString)
	}
	switch i.continued = 0; {
	case b >= 0xf0:
		i.continued = 3
	case b >= 0xe0:
		i.continued = 2
	case b >= 0xc0:
		i.continued = 1
	}
}

// takeCSI processes a byte of a control sequence. If the sequence is too long, takeCSI ends it early with a final
// byte that makes it meaningless.
func (i *boundedInput) takeCSI(b byte) {
	i.size++
	final := b >= 0x40 && b <= 0x7e
	switch {
	case i.size < sequenceMost:
		i.pass(b)
	case i.size == sequenceMost:
		i.pass('z')
	}
	if i.size <= len(pasteBegins) {
		i.start = append(i.start, b)
	}
	switch {
	case b == '\x1b':
		i.state = inputEscape
		if i.size >= sequenceMost {
			i.pass(b)
		}
	case !final:
	case string(i.start) == pasteBegins:
		i.state, i.paste, i.matched, i.dropped = inputPaste, i.paste[:0], 0, false
	default:
		i.state = inputKeys
	}
}

// takeString processes a byte of a control string, such as a terminal's reply. It ends an overlong one early.
func (i *boundedInput) takeString(b byte) {
	i.size++
	switch {
	case i.size < sequenceMost:
		i.pass(b)
	case i.size == sequenceMost:
		i.ready.WriteString("\x1b\\")
	}
	switch b {
	case '\a', 0x9c, 0x18, 0x1a:
		i.state = inputKeys
	case '\x1b': // the first byte of the terminator or of another sequence
		i.state = inputEscape
		if i.size >= sequenceMost {
			i.state = inputCut
		}
	}
}

// takePaste collects the bytes of a paste. If the paste is too long, an empty one is passed on instead.
func (i *boundedInput) takePaste(b byte) {
	switch {
	case i.matched == 0 && b != pasteEnds[0]: // true for nearly all bytes of a paste
		if !i.dropped {
			i.collect(b)
		}
	case b == pasteEnds[i.matched]:
		i.matched++
	case b == pasteEnds[0]:
		i.collect([]byte(pasteEnds[:i.matched])...)
		i.matched = 1
	default:
		i.collect(append([]byte(pasteEnds[:i.matched]), b)...)
		i.matched = 0
	}
	if i.matched == len(pasteEnds) {
		i.ready.Write(i.paste)
		i.ready.WriteString(pasteEnds)
		i.state, i.paste = inputKeys, nil
	}
}

func (i *boundedInput) collect(text ...byte) {
	switch {
	case i.dropped || len(text) == 0:
	case len(i.paste)+len(text) > pasteMost:
		i.dropped, i.paste = true, nil
		i.tooLong()
	default:
		i.paste = append(i.paste, text...)
	}
}
