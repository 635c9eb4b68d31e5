package ui

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// bounded returns the text that a console receives from in, and the number of dropped pastes.
func bounded(t *testing.T, in io.Reader) (text string, refused int) {
	t.Helper()
	got, err := io.ReadAll(&boundedInput{from: in, tooLong: func() { refused++ }})
	if err != nil {
		t.Fatal(err)
	}
	return string(got), refused
}

func TestBoundedInputDropsWhatIsTooLong(t *testing.T) {
	t.Parallel()
	long, huge := strings.Repeat("x", pasteMost), strings.Repeat("y", sequenceMost-1)
	for name, tt := range map[string]struct {
		in, want string
		refused  int
	}{
		"keys":                     {"abc\x1b[A\x1bOP\r", "abc\x1b[A\x1bOP\r", 0},
		"the longest paste":        {"a\x1b[200~" + long + "\x1b[201~b", "a\x1b[200~" + long + "\x1b[201~b", 0},
		"a longer paste":           {"a\x1b[200~" + long + "x\x1b[201~b", "a\x1b[200~\x1b[201~b", 1},
		"two longer pastes":        {strings.Repeat("\x1b[200~"+long+"x\x1b[201~", 2), strings.Repeat("\x1b[200~\x1b[201~", 2), 2},
		"paste with sequences":     {"\x1b[200~\x1b[201\x1b[201~", "\x1b[200~\x1b[201\x1b[201~", 0},
		"paste with bytes":         {"\x1b[200~\xff\x80ü\x1b\x1b[201~", "\x1b[200~\xff\x80ü\x1b\x1b[201~", 0},
		"C1 paste":                 {"\x9b200~" + long + "x\x1b[201~b", "\x9b200~\x1b[201~b", 1},
		"paste without an end":     {"\x1b[200~abc", "\x1b[200~", 0},
		"OSC":                      {"\x1b]11;rgb:0/0/0\x1b\\a", "\x1b]11;rgb:0/0/0\x1b\\a", 0},
		"long OSC":                 {"\x1b]" + huge + "zzz\x1b\\ab", "\x1b]" + huge + "\x1b\\ab", 0},
		"long OSC, then a key":     {"\x1b]" + huge + "zzz\x1b[A", "\x1b]" + huge + "\x1b\\\x1b[A", 0},
		"long DCS with BEL":        {"\x1bP" + huge + "zzz\ab", "\x1bP" + huge + "\x1b\\b", 0},
		"long CSI":                 {"\x1b[" + strings.Repeat("1", sequenceMost+9) + "Ab", "\x1b[" + strings.Repeat("1", sequenceMost-1) + "zb", 0},
		"C1 string":                {"\x9d" + huge + "zzz\ab", "\x9d" + huge + "\x1b\\b", 0},
		"not C1 within characters": {"ß\u009d機" + huge + huge, "ß\u009d機" + huge + huge, 0},
	} {
		for how, in := range map[string]io.Reader{"at once": strings.NewReader(tt.in), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.in))} {
			if got, refused := bounded(t, in); got != tt.want || refused != tt.refused {
				t.Errorf("%s, %s: %d bytes, %d refused; want %d, %d\n%.60q\n%.60q", name, how, len(got), refused, len(tt.want), tt.refused, got, tt.want)
			}
		}
	}
}

// TestBoundedInputPassesOnTheRest checks with random short inputs that all bytes are passed on unchanged. Each input
// ends any paste that it has started, because an unfinished paste is held back.
func TestBoundedInputPassesOnTheRest(t *testing.T) {
	t.Parallel()
	parts := []string{"a", "ü", "機", "\x1b", "[", "]", "P", "200~", "201~", "\x1b[201~", "\x1b\\", "\a", "1;2", "\xff", "\x80", "\x9b", "\x9d", "~", "\r", "\x18"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var in strings.Builder
		for range r.IntN(40) {
			in.WriteString(parts[r.IntN(len(parts))])
		}
		in.WriteString("\x18" + pasteEnds)
		if got, refused := bounded(t, strings.NewReader(in.String())); got != in.String() || refused != 0 {
			t.Fatalf("%q\n%q", got, in.String())
		}
	}
}

// pasteFlood is a long input that starts a sequence and never ends it. left is the number of bytes that still follow
// start.
type pasteFlood struct {
	start string
	left  int
}

func (f *pasteFlood) Read(p []byte) (int, error) {
	if f.start != "" {
		n := copy(p, f.start)
		f.start = f.start[n:]
		return n, nil
	}
	if f.left == 0 {
		return 0, io.EOF
	}
	n := min(f.left, len(p))
	f.left -= n
	copy(p, bytes.Repeat([]byte{'7'}, n))
	return n, nil
}

// TestBoundedInputUsesLittleMemory checks the memory used for a paste of 32 MB and for unfinished sequences of 8 MB.
func TestBoundedInputUsesLittleMemory(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]*pasteFlood{
		"paste": {start: "\x1b[200~", left: 32 << 20}, "OSC": {start: "\x1b]52;c;", left: 8 << 20}, "CSI": {start: "\x1b[", left: 8 << 20},
	} {
		refused := 0
		in := &boundedInput{from: f, tooLong: func() { refused++ }}
		n := 0
		for buf := make([]byte, 4096); ; {
			got, err := in.Read(buf)
			if n += got; errors.Is(err, io.EOF) {
				break
			}
		}
		held := cap(in.paste) + in.ready.Cap()
		if n > 2*sequenceMost || held > 2*pasteMost || refused > 1 || name == "paste" && refused != 1 {
			t.Errorf("%s: %d bytes passed on, %d held, %d refused", name, n, held, refused)
		}
	}
}
