package terminal_test

import (
	"context"
	"image/color"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ironworks/test/terminal"
)

func sleeping() *exec.Cmd { return exec.Command("sleep", "600") }

func TestWhatIsShown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		size   [2]int
		want   []string
	}{
		"lines":            {`printf 'one\n\n  two  \n'`, [2]int{20, 5}, []string{"one", "", "  two", "", ""}},
		"a cursor":         {`printf 'count: 1\033[1;8H3'`, [2]int{20, 2}, []string{"count: 3", ""}},
		"wrapping":         {`printf 'abcdef'`, [2]int{4, 3}, []string{"abcd", "ef", ""}},
		"scrolling":        {`printf '1\n2\n3\n4'`, [2]int{4, 3}, []string{"2", "3", "4"}},
		"a scroll region":  {`printf '1\n2\n3\n4\033[2;3r\033[3;1H\n\033[r'`, [2]int{4, 4}, []string{"1", "3", "", "4"}},
		"wide characters":  {`printf '機器x'`, [2]int{8, 2}, []string{"機器x", ""}},
		"repeating":        {`printf -- '-\033[4b'`, [2]int{8, 2}, []string{"-----", ""}},
		"erasing":          {`printf 'abcdef\033[1;3H\033[2X\033[6G\033[K'`, [2]int{8, 2}, []string{"ab  e", ""}},
		"the size":         {`stty size`, [2]int{97, 31}, append([]string{"31 97"}, make([]string, 30)...)},
		"the type":         {`printf '%s' "$TERM"`, [2]int{20, 1}, []string{"xterm-256color"}},
		"its own type":     {`TERM=dumb; export TERM; sh -c 'printf "%s" "$TERM"'`, [2]int{20, 1}, []string{"dumb"}},
		"alternate screen": {`printf 'main\033[?1049hother\033[?1049l'`, [2]int{20, 1}, []string{"main"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shell(t, c.script, terminal.Options{Width: c.size[0], Height: c.size[1]})
			s.Ends(t, 0)
			if got := s.Lines(); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if s.Text() != strings.Join(c.want, "\n") || s.Line(0) != c.want[0] || s.Line(-1) != "" || s.Line(99) != "" {
				t.Error(s.Describe())
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	command := exec.Command("env")
	command.Env = []string{"TERM=foot", "A=1"}
	s := terminal.StartT(t, terminal.Options{Command: command})
	s.Ends(t, 0)
	if got := strings.TrimSpace(s.Text()); got != "TERM=foot\nA=1" {
		t.Errorf("%q", got)
	}
	if _, err := terminal.Start(t.Context(), terminal.Options{}); err == nil {
		t.Error("starts nothing")
	}
	if _, err := terminal.Start(t.Context(), terminal.Options{Command: exec.Command("/no/such/program")}); err == nil {
		t.Error("starts what is not there")
	}
}

func TestCells(t *testing.T) {
	t.Parallel()
	s := shell(t, `printf '機 \033[1;31mbold\033[0m \033[2;38;5;200mfaint\033[0m \033[7mback\033[27;4;38;2;1;2;3mu\033[3;39;42mi'`, terminal.Options{})
	s.Ends(t, 0)
	for text, want := range map[string]terminal.Cell{
		"機":     {Text: "機"},
		"bold":  {Text: "b", Bold: true, Foreground: ansi.Red},
		"faint": {Text: "f", Faint: true, Foreground: ansi.IndexedColor(200)},
		"back":  {Text: "b", Reverse: true},
		"u":     {Text: "u", Underline: true, Foreground: color.RGBA{1, 2, 3, 255}},
		"ui":    {Text: "u", Underline: true, Foreground: color.RGBA{1, 2, 3, 255}},
	} {
		x, y, ok := s.Find(text)
		if text == "u" {
			x, y, ok = s.Find("ui")
		}
		if got := s.Cell(x, y); !ok || got != want {
			t.Errorf("%s at %d, %d: %+v, want %+v", text, x, y, got, want)
		}
	}
	x, y, _ := s.Find("ui")
	if got, want := s.Cell(x+1, y), (terminal.Cell{Text: "i", Underline: true, Italic: true, Background: ansi.Green}); got != want {
		t.Errorf("%+v", got)
	}
	if got := s.Cell(1, 0); got != (terminal.Cell{}) {
		t.Errorf("the right half of a wide character: %+v", got)
	}
	if got := s.Cell(40, 10); got.Text != " " {
		t.Errorf("an empty cell: %+v", got)
	}
	if got := s.Cell(-1, 99); got != (terminal.Cell{}) {
		t.Errorf("outside: %+v", got)
	}
	if x, y, ok := s.Find("bold"); x != 3 || y != 0 || !ok {
		t.Error("bold is at", x, y, ok)
	}
	if _, _, ok := s.Find("nothing"); ok {
		t.Error("found nothing")
	}
}

// TestWaitForIdle checks that WaitFor also notices a condition that becomes true while the program writes nothing.
func TestWaitForIdle(t *testing.T) {
	t.Parallel()
	s := terminal.StartT(t, terminal.Options{Command: exec.Command("cat")})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	calls := 0
	if err := s.WaitFor(ctx, func(string) bool { calls++; return calls == 3 }); err != nil {
		t.Fatal(err)
	}
}

func TestTyping(t *testing.T) {
	t.Parallel()
	s := terminal.StartT(t, terminal.Options{Command: exec.Command("cat")})
	s.Type("hello", " ", "worlds", terminal.Backspace, terminal.Enter)
	s.Until(t, "hello world\nhello world\n")
	s.Paste("no marks\r\nunless asked for\n")
	// The echo of the second line may come before or after cat's first output.
	both := func(text string) bool {
		return strings.Count(text, "no marks\n") == 2 && strings.Count(text, "unless asked for\n") == 2
	}
	if err := s.WaitFor(t.Context(), both); err != nil {
		t.Fatal(err, s.Describe())
	}
	if strings.Contains(string(s.Raw()), "200~") {
		t.Errorf("%q", s.Raw())
	}
	s.Type(terminal.CtrlD)
	s.Ends(t, 0)
	if got := s.Raw(); int64(len(got)) != s.Bytes() || !strings.HasPrefix(string(got), "hello worlds\b \b\r\nhello world\r\n") {
		t.Errorf("%d bytes, %q", s.Bytes(), got)
	}

	s = terminal.StartT(t, terminal.Options{Command: exec.Command("cat")})
	s.Type("x")
	s.Until(t, "x")
	s.Type(terminal.CtrlC)
	if _, err := s.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "interrupt") {
		t.Error(err)
	}
}

func TestMuchOutput(t *testing.T) {
	t.Parallel()
	s := shell(t, `seq -f 'line %.0f of many lines that are shown one after the other' 100001 119999`, terminal.Options{})
	s.Ends(t, 0)
	if got := s.Line(22); !strings.HasPrefix(got, "line 119999 ") {
		t.Errorf("%q\n%s", got, s.Describe())
	}
	if len(s.Raw()) != 1<<20 || s.Bytes() < 1<<20 || !strings.HasSuffix(string(s.Raw()), "after the other\r\n") {
		t.Error(len(s.Raw()), s.Bytes())
	}
}

func TestIdle(t *testing.T) {
	t.Parallel()
	const quiet = 200 * time.Millisecond
	s := shell(t, `for i in 1 2 3 4 5; do echo $i; sleep 0.05; done; echo done; exec sleep 600`, terminal.Options{})
	s.Until(t, "1")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	before := time.Now()
	if err := s.Idle(ctx, quiet); err != nil || time.Since(before) < quiet/2 {
		t.Error(err, time.Since(before))
	}
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Idle(soon, time.Hour); err == nil {
		t.Error("Idle returned before an hour of quiet")
	}
}

func TestUnfinishedDrawingIsNotAScreen(t *testing.T) {
	t.Parallel()
	s := shell(t, `printf 'old\033[?2026h\033[Hhalf'; stty -echo; read x; printf '\033[Hfull\033[?2026l'; read x`, terminal.Options{Modern: true})
	soon, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := s.WaitFor(soon, func(text string) bool { return strings.Contains(text, "half") }); err == nil {
		t.Error("saw half a screen")
	}
	if !s.Contains("half") {
		t.Error("did not draw", s.Describe())
	}
	s.Type(terminal.Enter)
	s.Until(t, "full")
}

// TestMarginsBelowTheScreen checks that output for a screen that has just become lower neither crashes the test
// process nor hides later output.
func TestMarginsBelowTheScreen(t *testing.T) {
	t.Parallel()
	s := shell(t, `printf '\033[2;47r\033[3T'; stty -echo; read x; printf '\033[2J\033[Hstill here'; read x`, terminal.Options{})
	s.Type(terminal.Enter)
	s.Until(t, "still here")
}
