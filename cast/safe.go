package cast

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
)

// Safe filters terminal output and keeps only the parts that draw: text, line breaks, SGR, cursor movements, erasing,
// scrolling, and the modes of a full-screen program. Because recordings can come from untrusted sources, it drops
// everything else, such as clipboard contents, titles, and queries that the terminal would answer. It keeps its state
// between calls.
type Safe struct {
	parser *ansi.Parser
	out    strings.Builder
}

// NewSafe returns a new filter.
func NewSafe() *Safe {
	s := &Safe{parser: ansi.NewParser()}
	s.parser.SetParamsSize(parser.MaxParamsSize)
	s.parser.SetHandler(ansi.Handler{
		Print: func(r rune) {
			if !unicode.IsControl(r) { // drops C1 controls, which some terminals obey
				s.out.WriteRune(r)
			}
		},
		Execute: func(b byte) {
			if b == '\n' || b == '\r' || b == '\t' || b == '\b' {
				s.out.WriteByte(b)
			}
		},
		HandleEsc: func(cmd ansi.Cmd) {
			if cmd.Prefix() == 0 && cmd.Intermediate() == 0 && strings.IndexByte("78M=>DE", cmd.Final()) >= 0 {
				s.out.WriteString("\x1b" + string(rune(cmd.Final())))
			}
		},
		HandleCsi: s.csi,
	})
	return s
}

// Filter returns the part of output that only draws.
func (s *Safe) Filter(output string) string {
	s.out.Reset()
	for i := range len(output) {
		s.parser.Advance(output[i])
	}
	return s.out.String()
}

// safeFinals lists the final bytes of the control sequences that have no prefix and only draw.
const safeFinals = "ABCDEFGHIJKLMPSTXZ`abdefgmrsu@"

// csi passes on a control sequence if it draws, or if it sets or resets modes that safeMode allows.
func (s *Safe) csi(cmd ansi.Cmd, params ansi.Params) {
	if cmd.Intermediate() != 0 {
		return
	}
	switch {
	case cmd.Prefix() == 0 && strings.IndexByte(safeFinals, cmd.Final()) >= 0:
	case cmd.Prefix() == '?' && (cmd.Final() == 'h' || cmd.Final() == 'l'):
		for i := range params {
			if p, _, _ := params.Param(i, 0); !safeMode(p) {
				return
			}
		}
	default:
		return
	}
	s.out.WriteString("\x1b[")
	if cmd.Prefix() != 0 {
		s.out.WriteByte(cmd.Prefix())
	}
	for i := range params {
		value, more, ok := params.Param(i, -1)
		if !ok {
			break
		}
		if value >= 0 {
			s.out.WriteString(strconv.Itoa(value))
		}
		switch {
		case i == len(params)-1:
		case more:
			s.out.WriteByte(':')
		default:
			s.out.WriteByte(';')
		}
	}
	s.out.WriteByte(cmd.Final())
}

// safeMode reports whether a private mode only affects how output looks. Such modes concern the origin, wrapping, the
// cursor, alternate screens, synchronized output and grapheme widths.
func safeMode(mode int) bool {
	switch mode {
	case 6, 7, 25, 47, 1047, 1048, 1049, 2026, 2027:
		return true
	}
	return false
}
