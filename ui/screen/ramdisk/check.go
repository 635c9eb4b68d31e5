package ramdisk

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition/prepare"
	"ironworks/ignition/userdata"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// The File tab shows at most maxLines lines of a file and at most maxRunes characters of a line. An editor can show
// the rest.
const (
	maxLines = 20_000
	maxRunes = 1000
	// contextLines is the number of lines shown before a problem.
	contextLines = 3
	// longLine is the line length, in bytes, beyond which the text is wrapped.
	longLine = 400
)

// checking holds the open file and the result of checking it.
type checking struct {
	number int
	busy   bool
	stamp  prepare.FileStamp
	known  bool
	err    error

	report userdata.Report
	source []string
	// problem is the index of the current problem. facts holds the lines about the whole file.
	problem int
	facts   []pane.Line
	// factsBeside is true if the facts are drawn beside the source. Otherwise they are drawn above it: wrapped to
	// width cells, they take up heads lines.
	factsBeside  bool
	jump         bool // scroll to the current problem in the next draw
	width, heads int
}

// openFile shows another file on the File tab and checks it.
func (s *Screen) openFile(path string) tea.Cmd {
	s.bench.File = path
	s.tab = tabFile
	s.check = checking{number: s.check.number + 1, factsBeside: s.check.factsBeside, width: s.check.width}
	s.file.SetLines(nil)
	s.file.Search("")
	return s.recheck()
}

// recheck checks the file again if it has changed.
func (s *Screen) recheck() tea.Cmd {
	maker := s.env.Maker()
	if maker == nil || s.bench.File == "" || s.check.busy {
		return nil
	}
	s.check.busy = true
	ctx, number, path, stamp := s.life, s.check.number, s.bench.File, s.check.stamp
	return func() tea.Msg {
		got, err := maker.Check(ctx, path, stamp)
		return screen.NewLater(s, func() tea.Cmd {
			s.handleChecked(number, got, err)
			return nil
		})
	}
}

// handleChecked stores the result of a check, unless another file was opened. After the first check, it
// shows the first error.
func (s *Screen) handleChecked(number int, got prepare.Checked, err error) {
	c := &s.check
	if number != c.number {
		return
	}
	c.busy, c.err = false, err
	switch {
	case err != nil:
		c.stamp = prepare.FileStamp{} // read the file again when it reappears
		return
	case got.Same:
		return
	}
	first := !c.known
	c.known, c.stamp, c.report = true, got.Stamp, got.Report
	lines := strings.Split(strings.ReplaceAll(strings.TrimSuffix(string(got.Source), "\n"), "\r\n", "\n"), "\n")
	c.source = lines[:min(len(lines), maxLines)]
	c.problem = max(min(c.problem, len(c.report.Problems)-1), 0)
	c.facts = body.Report(c.report)
	if first {
		s.file.SetWrap(slices.ContainsFunc(c.source, func(line string) bool { return len(line) > longLine }))
		i := slices.IndexFunc(c.report.Problems, func(p userdata.Problem) bool { return p.Severity == userdata.SeverityError })
		if i >= 0 {
			c.problem = i
			s.show()
		}
	}
	s.setSource()
}

// problem moves the selection by the given number of problems, backwards if it is negative. The selection wraps around.
func (s *Screen) problem(by int) {
	if n := len(s.check.report.Problems); n > 0 {
		s.check.problem = (s.check.problem + by + n) % n
		s.setSource()
		s.show()
	}
}

// show makes the next draw scroll to the current problem, because only then is the height known.
func (s *Screen) show() { s.check.jump = true }

func (s *Screen) jump() {
	if !s.check.jump || s.check.problem >= len(s.check.report.Problems) {
		return
	}
	s.check.jump = false
	if line := s.check.report.Problems[s.check.problem].Line; line > 0 {
		above := s.check.heads
		if s.check.factsBeside {
			above = 0
		}
		s.file.GoTo(above + max(line-1-contextLines, 0))
	}
}

// setSource builds the lines of the source, in which problems are marked.
func (s *Screen) setSource() {
	c := &s.check
	worst := map[int]userdata.Severity{}
	for _, p := range c.report.Problems {
		if was, there := worst[p.Line]; !there || p.Severity > was {
			worst[p.Line] = p.Severity
		}
	}
	here := userdata.Problem{}
	if c.problem < len(c.report.Problems) {
		here = c.report.Problems[c.problem]
	}
	var lines []pane.Line
	if !c.factsBeside {
		lines = append(s.facts(c.width, 0), nil)
		c.heads = len(lines)
	}
	digits := len(fmt.Sprint(len(c.source)))
	for i, text := range c.source {
		severity, bad := worst[i+1]
		mark, role := " ", theme.Muted
		if bad {
			mark, role = body.Problem(severity)
		}
		line := pane.Line{body.S(role, fmt.Sprintf(" %s %*d ", mark, digits, i+1))}
		column := 0
		if here.Line == i+1 {
			column = max(here.Column, 1)
		}
		lines = append(lines, append(line, marked(text, column)...))
	}
	s.file.SetLines(lines)
}

// marked returns text as a source line in which the character at the given column is marked. Columns are counted from
// 1; if the column is 0, no character is marked. If the line is long, marked returns only the part around the column.
func marked(text string, column int) []body.Span {
	runes := []rune(text)
	lead, tail := "", ""
	if column > maxRunes/2 && len(runes) > maxRunes {
		from := min(column-maxRunes/4, len(runes))
		runes, column, lead = runes[from:], column-from, "…"
	}
	if len(runes) > maxRunes {
		runes, tail = runes[:maxRunes], "…"
	}
	if column < 1 {
		return []body.Span{body.S(theme.Plain, lead+string(runes)+tail)}
	}
	column = min(column, len(runes)+1)
	at, rest := " ", ""
	if column <= len(runes) {
		at, rest = string(runes[column-1]), string(runes[column:])
	}
	return []body.Span{
		body.S(theme.Strong, lead+string(runes[:column-1])), body.S(theme.Match, at), body.S(theme.Strong, rest+tail),
	}
}

// verdict describes the state of the file with a glyph, a word and a color role.
func (s *Screen) verdict() (glyphText, word string, role theme.Role) {
	c := &s.check
	switch {
	case s.bench.File == "":
		return theme.GlyphIdle, "no file open", theme.Muted
	case c.err != nil:
		return theme.GlyphFailed, "unreadable", theme.Bad
	case !c.known:
		return theme.GlyphWorking, "reading", theme.Busy
	case !c.report.OK():
		return theme.GlyphFailed, string(c.report.Kind) + ", invalid", theme.Bad
	case len(c.report.Problems) > 0:
		return theme.GlyphMaint, string(c.report.Kind) + ", valid", theme.Warn
	}
	return theme.GlyphActive, string(c.report.Kind) + ", valid", theme.Good
}
