package printable

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"empty":                     {"", ""},
		"plain":                     {"node-1 is locked", "node-1 is locked"},
		"escape sequence":           {"\x1b[2Jgone", `\x1b[2Jgone`},
		"window title":              {"\x1b]0;evil\a", `\x1b]0;evil\a`},
		"C1 controls":               {"\u009b31m\u0085", `\u009b31m\u0085`},
		"delete and backspace":      {"a\x7f\b", `a\x7f\b`},
		"nul":                       {"\x00", `\x00`},
		"lines and tabs":            {"a\nb\tc\rd\ve\ff", "a b c d e f"},
		"line separators":           {"a\u2028b\u2029c", "a b c"},
		"bidi override":             {"a\u202egpj.exe", `a\u202egpj.exe`},
		"bidi isolate":              {"\u2066x\u2069", `\u2066x\u2069`},
		"right-to-left mark":        {"\u200f", `\u200f`},
		"zero width":                {"a\u200bb\u200dc\ufeffd\u2060e", `a\u200bb\u200dc\ufeffd\u2060e`},
		"soft hyphen":               {"a\u00adb", `a\u00adb`},
		"tags":                      {"\U000e0041", `\U000e0041`},
		"private use":               {"\ue000", `\ue000`},
		"invalid UTF-8":             {"a\xffb\xc3", `a\xffb\xc3`},
		"surrogate in UTF-8":        {"\xed\xa0\x80", `\xed\xa0\x80`},
		"overlong escape":           {"\xc0\x9b", `\xc0\x9b`},
		"replacement character":     {"a\ufffdb", "a\ufffdb"},
		"wide characters":           {"節点1号", "節点1号"},
		"emoji":                     {"🔥 ok ✔\ufe0f", "🔥 ok ✔\ufe0f"},
		"combining characters":      {"e\u0301a\u0308", "e\u0301a\u0308"},
		"right-to-left text":        {"שלום", "שלום"},
		"harmless before the harm":  {"é\x1b", `é\x1b`},
		"backslashes stay":          {`C:\x1b`, `C:\x1b`},
		"no-break space is a blank": {"a\u00a0b", "a\u00a0b"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Line(tt.in); got != tt.want {
				t.Errorf("%+q, want %+q", got, tt.want)
			}
		})
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	if got, want := Lines("a\r\nb\x1b\n\tc\rd\n"), "a\nb\\x1b\n c d\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLineCostsNothingForPlainText(t *testing.T) {
	text := strings.Repeat("node is locked by host ", 20) + "é"
	if n := testing.AllocsPerRun(100, func() { _ = Line(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzLine(f *testing.F) {
	for _, seed := range []string{"", "a\x1b[0m", "\xff\xfe", "\u202e", "e\u0301", "🔥", "a\nb", "\u009b", "\xed\xa0\x80", "\u2028", "\ufffd"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Line(s)
		if !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }); i >= 0 {
			t.Errorf("%q has a control or format character", got)
		}
		if again := Line(got); again != got {
			t.Errorf("%q becomes %q", got, again)
		}
		if lines := Lines(s); strings.Count(lines, "\n") != strings.Count(s, "\n") || !utf8.ValidString(lines) {
			t.Errorf("lines: %q", lines)
		}
	})
}

func TestFileName(t *testing.T) {
	t.Parallel()
	if got := FileName("r7-n01/ä b..C", "-.", '_'); got != "r7-n01___b..C" {
		t.Errorf("%q", got)
	}
}
