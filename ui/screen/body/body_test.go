package body_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/action"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/screentest"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

func TestMain(m *testing.M) { screentest.Main(m) }

func TestLine(t *testing.T) {
	th := theme.New(theme.Options{})
	left := []body.Span{body.S(theme.Strong, " name"), body.S(theme.Good, "  active")}
	right := []body.Span{body.S(theme.Muted, "just now")}
	for w, want := range map[int]string{
		30: " name  active        just now ",
		24: " name  active  just now ",
		23: " name  active          ",
		8:  " name  …",
		0:  "",
	} {
		if got := ansi.Strip(body.Line(th, w, left, right)); got != want {
			t.Errorf("%d: %q, want %q", w, got, want)
		}
	}
	for _, text := range screentest.Hostile() {
		text = printable.Line(text)
		for w := range 40 {
			got := body.Line(th, w, []body.Span{body.S(theme.Plain, text)}, []body.Span{body.S(theme.Bad, text)})
			if cell.Width(got) != w {
				t.Fatalf("%d cells, want %d: %q", cell.Width(got), w, got)
			}
		}
	}
}

func TestFew(t *testing.T) {
	for _, tc := range []struct {
		text    string
		w, most int
		want    string
	}{
		{"one two three", 20, 2, "  one two three"},
		{"one two three", 9, 2, "  one two|  three"},
		{"one two three four five", 9, 2, "  one two|  three…"},
		{strings.Repeat("x", 10_000), 10, 2, "  xxxxxxxx|  xxxxxxx…"},
		{"one", 0, 2, ""},
		{"one", 10, 0, ""},
	} {
		var got []string
		for _, l := range body.IndentedMost(theme.Plain, tc.text, tc.w, 2, tc.most) {
			got = append(got, l[0].Text)
		}
		if strings.Join(got, "|") != tc.want {
			t.Errorf("%.20q in %d: %q, want %q", tc.text, tc.w, strings.Join(got, "|"), tc.want)
		}
	}
}

func text(lines []pane.Line) string {
	var b strings.Builder
	for _, l := range lines {
		for _, s := range l {
			b.WriteString(s.Text)
		}
		b.WriteString("|")
	}
	return b.String()
}

func TestFault(t *testing.T) {
	f := &models.Fault{Kind: models.FaultTLS, Op: "list nodes", Message: "bad certificate", Hint: "set cacert", RequestID: "req-1"}
	want := " ✖ list nodes: bad certificate|   set cacert|   request req-1|"
	for _, err := range []error{f, fmt.Errorf("wrapped: %w", f)} {
		if got := text(body.Fault(err, 60)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := text(body.Fault(errors.New("a\x1bb"), 60)); got != ` ✖ a\x1bb|` {
		t.Errorf("%q", got)
	}
}

func TestAges(t *testing.T) {
	now := screentest.Began
	for d, want := range map[time.Duration]string{
		0: "updated just now", 59 * time.Second: "updated just now", 90 * time.Second: "updated 1m ago", 59 * time.Minute: "updated 59m ago", 90 * time.Minute: "updated 1h00 ago", 72 * time.Hour: "updated 3d ago",
	} {
		if got := body.Read(now, now.Add(-d)); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
	if body.Read(now, time.Time{}) != "not loaded" || body.Ago(now, time.Time{}) != "never" || body.Ago(now, now.Add(-time.Minute)) != "1m00 ago" {
		t.Error("ages")
	}
	boom := errors.New("boom")
	for _, tc := range []struct {
		known, busy bool
		err         error
		want        string
	}{
		{false, true, nil, "loading…"},
		{true, true, nil, "updated just now"},
		{true, false, boom, "refresh failed, updated just now"},
		{false, false, boom, "not loaded"},
	} {
		if got := body.Freshness(now, now, tc.known, tc.busy, tc.err).Text; got != tc.want {
			t.Errorf("%+v: %q", tc, got)
		}
	}
}

func TestTabs(t *testing.T) {
	th := theme.New(theme.Options{})
	titles := []string{"One", "Two"}
	var line body.TabLine
	for w, want := range map[int]string{
		30: "─ One  [Two]───────── 1 of 2 ─",
		16: "─ One  [Two]────",
		8:  "… [Two]…",
	} {
		got := ansi.Strip(line.Draw(th, titles, 1, "1 of 2", w))
		if cell.Width(got) != w || w != 8 && got != want {
			t.Errorf("%d: %q, want %q", w, got, want)
		}
	}
	for w := range 60 {
		if got := cell.Width(line.Draw(th, titles, 0, "1–15 of 17", w)); got != w {
			t.Errorf("%d cells, want %d", got, w)
		}
	}
	line.Draw(th, titles, 1, "", 30) // ─ One  [Two]──
	for x, want := range []int{-1, 0, 0, 0, 0, 0, -1, 1, 1, 1, 1, 1, -1} {
		if got := line.At(x); got != want {
			t.Errorf("at %d: %d, want %d", x, got, want)
		}
	}
}

// mover is a Mover that records calls to its methods in said.
type mover struct{ said string }

func (m *mover) Move(by int)   { m.said += fmt.Sprint("move ", by) }
func (m *mover) Page(by int)   { m.said += fmt.Sprint("page ", by) }
func (m *mover) Top()          { m.said += "top" }
func (m *mover) Bottom()       { m.said += "bottom" }
func (m *mover) Scroll(by int) { m.said += fmt.Sprint("scroll ", by) }

func TestSteer(t *testing.T) {
	for id, want := range map[action.ID]string{
		action.Up: "move -1", action.Down: "move 1", action.PageUp: "page -1", action.PageDown: "page 1",
		action.Top: "top", action.Bottom: "bottom", action.ScrollLeft: "scroll -8", action.ScrollRight: "scroll 8", action.Open: "",
	} {
		var m mover
		if did := body.Steer(&m, id, 8); did != (want != "") || m.said != want {
			t.Errorf("%s: %q", id, m.said)
		}
	}
}

func TestPrompt(t *testing.T) {
	th := theme.New(theme.Options{})
	var p body.Prompt
	p.Begin("abc")
	if got := p.Update(screentest.Press("d")); got != body.Changed || p.Text() != "abcd" || !p.Typing() {
		t.Errorf("%v %q", got, p.Text())
	}
	p.Wrong = errors.New("no such key")
	if got := p.Update(screentest.Press("enter")); got != body.Ignored || !p.Typing() {
		t.Error("what is wrong was taken")
	}
	for w := range 60 {
		if got := cell.Width(p.Draw(th, w, "")); got != w {
			t.Errorf("%d cells, want %d", got, w)
		}
	}
	p.Wrong, p.Note = nil, "not found"
	if got := ansi.Strip(p.Draw(th, 40, "")); !strings.HasSuffix(got, "  not found") {
		t.Errorf("%q", got)
	}
	if p.Update(screentest.Press("enter")) != body.Accepted || p.Typing() {
		t.Error("not taken")
	}
	for w := range 60 {
		if got := cell.Width(p.Draw(th, w, "wide 节点节点")); got != w {
			t.Errorf("%d cells, want %d", got, w)
		}
	}
	p.Begin("")
	if p.Update(screentest.Press("esc")) != body.Abandoned || p.Typing() {
		t.Error("not abandoned")
	}
}
