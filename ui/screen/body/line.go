// Package body provides the parts that screens share: lines, errors, prompts, tables and scrolling.
package body

import (
	"fmt"
	"strings"

	"ironworks/ignition/userdata"
	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/action"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
	"ironworks/ui/widget/table"
	"ironworks/ui/widget/tabs"
)

// Span is a piece of text that is drawn in a single role.
type Span = pane.Span

// S returns a span with the given role and text.
func S(role theme.Role, text string) Span { return Span{Role: role, Text: text} }

// Line draws a line of w cells. The left spans start at its left end, and the right spans end at its right end. If
// there is no room for both, Line omits the right spans.
func Line(t *theme.Theme, w int, left, right []Span) string {
	r := Width(right)
	if r == 0 || w < Width(left)+2+r+1 {
		right, r = nil, 0
	}
	if r > 0 {
		r += 2 // a gap before the right part, and a space after it
	}
	text := Paint(t, left, w-r)
	if len(right) == 0 {
		return cell.Fit(text, w)
	}
	return cell.Fit(text, w-r+1) + Paint(t, right, r-2) + cell.Blanks(1)
}

// Width returns the total width of the spans, in cells.
func Width(spans []Span) int {
	w := 0
	for _, s := range spans {
		w += cell.Width(printable.Line(s.Text))
	}
	return w
}

// Paint draws the spans one after another, cut to at most w cells.
func Paint(t *theme.Theme, spans []Span, w int) string {
	var b strings.Builder
	for _, s := range spans {
		if w <= 0 {
			break
		}
		text := cell.Cut(printable.Line(s.Text), w)
		w -= cell.Width(text)
		b.WriteString(t.Paint(s.Role, text))
	}
	return b.String()
}

// Text draws text in the given role, cut to at most w cells.
func Text(t *theme.Theme, role theme.Role, text string, w int) string {
	return Paint(t, []Span{S(role, text)}, w)
}

// Rule draws a horizontal rule of w cells that begins with the given text.
func Rule(t *theme.Theme, role theme.Role, text string, w int) string {
	drawn := Text(t, role, text, w)
	return drawn + t.Rule(w-cell.Width(drawn))
}

// Wrapped breaks text into lines of at most w cells, all in the given role.
func Wrapped(role theme.Role, text string, w int) []pane.Line {
	return Indented(role, text, w, 0)
}

// Indented is like [Wrapped], but puts n spaces before each line, unless fewer than 4 cells would remain.
func Indented(role theme.Role, text string, w, n int) []pane.Line {
	if w-n < 4 {
		n = 0
	}
	var lines []pane.Line
	for _, line := range cell.Wrap(printable.Lines(text), max(w-n, 1)) {
		lines = append(lines, pane.Line{S(role, cell.Blanks(n)+line)})
	}
	return lines
}

// IndentedMost is like [Indented], but returns at most the given number of lines. If text is omitted, the last line
// ends with an ellipsis.
func IndentedMost(role theme.Role, text string, w, n, most int) []pane.Line {
	if most <= 0 || w <= 0 {
		return nil
	}
	lines := Indented(role, cell.Cut(printable.Lines(text), w*(most+1)), w, n)
	if len(lines) > most {
		lines = lines[:most]
		last := &lines[most-1][0]
		last.Text = cell.Cut(strings.TrimSuffix(last.Text, cell.Ellipsis)+cell.Ellipsis, w)
	}
	return lines
}

// Prefixed puts a span before the first line, and another one before each other line. It modifies the slice.
func Prefixed(lines []pane.Line, first, other Span) []pane.Line {
	for i := range lines {
		lead := other
		if i == 0 {
			lead = first
		}
		lines[i] = append(pane.Line{lead}, lines[i]...)
	}
	return lines
}

// Draw draws lines that do not scroll, each cut to w cells.
func Draw(t *theme.Theme, lines []pane.Line, w int) []string {
	drawn := make([]string, len(lines))
	for i, line := range lines {
		drawn[i] = Paint(t, line, w)
	}
	return drawn
}

// Padded appends empty lines until there are n lines.
func Padded(lines []string, n int) []string {
	return append(lines, make([]string, max(n-len(lines), 0))...)
}

// Split splits the output of a widget into lines. It returns nil if the output is empty.
func Split(drawn string) []string {
	if drawn == "" {
		return nil
	}
	return strings.Split(drawn, "\n")
}

// PageTop is the number of lines that Page draws above the content.
const PageTop = 2

// Page draws the heading, the rule and the content, one below the other, in a block of w by h cells. It calls content
// with the number of lines that remain below the rule.
func Page(t *theme.Theme, w, h int, heading, rule string, content func(h int) string) string {
	lines := []string{heading, rule}
	if h > len(lines) {
		lines = append(lines, Split(content(h-len(lines)))...)
	}
	return cell.Block(lines, w, h)
}

// Beside draws two blocks side by side, with a vertical rule between them, in w by h cells.
func Beside(t *theme.Theme, left, right string, w, h int) string {
	l, r := Split(left), Split(right)
	lines := make([]string, 0, max(h, 0))
	for i := range min(len(l), len(r)) {
		lines = append(lines, l[i]+t.Paint(theme.Muted, "│")+r[i])
	}
	return cell.Block(lines, w, h)
}

// PaneOr draws the pane in w by h cells. If the pane is empty, it draws the nothing argument, a message, instead.
func PaneOr(t *theme.Theme, p *pane.Pane, nothing string, w, h int) string {
	p.Resize(w, h)
	if p.Len() == 0 {
		return cell.Block(Draw(t, Indented(theme.Muted, nothing, w-1, 1), w), w, h)
	}
	return p.Draw(t)
}

// TabLine draws a rule with the names of a screen's tabs, and finds the tab at a clicked cell.
type TabLine struct {
	titles        []string
	current, w, x int
}

// Draw draws the line. If there is room, the line ends with place, the position within the current tab.
func (l *TabLine) Draw(t *theme.Theme, titles []string, current int, place string, w int) string {
	need := len(titles) - 1 + tabs.MinWidth(titles)
	if need+3 > w {
		*l = TabLine{titles: titles, current: current, w: w}
		return tabs.Draw(t, titles, current, w)
	}
	if place != "" {
		place = " " + place + " "
		// If the names with gaps and the position do not both fit, omit the gaps.
		if tight := tabs.MinWidth(titles); need+3+cell.Width(place) > w && tight+3+cell.Width(place) <= w {
			need = tight
		}
	}
	rest := w - need - 1 - cell.Width(place) - 1
	if rest < 1 {
		place, rest = "", w-need-2
	}
	*l = TabLine{titles: titles, current: current, w: need, x: 1}
	return t.Rule(l.x) + tabs.Draw(t, titles, current, need) + t.Rule(rest) + t.Paint(theme.Muted, place) + t.Rule(1)
}

// At returns the index of the tab whose name was drawn at column x, or -1.
func (l *TabLine) At(x int) int { return tabs.At(l.titles, l.current, l.w, x-l.x) }

// Click makes the tab at the clicked cell the current one. It reports whether the tabs' line was clicked.
func (l *TabLine) Click(x, y int, current *int) bool {
	if at := l.At(x); y == 1 && at >= 0 {
		*current = at
	}
	return y == 1
}

// Mover is a widget that scrolls or has a cursor: a table, a pane or a form.
type Mover interface {
	Move(by int)
	Page(by int)
	Top()
	Bottom()
	Scroll(by int)
}

// Table contains the methods of a [table.Table] that do not depend on the type of its rows.
type Table interface {
	Mover
	Len() int
	Resize(w, h int)
	Draw(t *theme.Theme) string
	Click(x, y int) table.Hit
}

// ScrollStep is the number of cells by which a horizontal scroll key moves the view.
const ScrollStep = 8

// Steer performs the action with the given ID on m if that action moves the cursor or scrolls, and reports whether it
// does. Horizontal actions scroll a table by step columns and a pane by step cells. In a form, they select another
// option of the current field.
func Steer(m Mover, id action.ID, step int) bool {
	switch id {
	case action.Up:
		m.Move(-1)
	case action.Down:
		m.Move(1)
	case action.PageUp:
		m.Page(-1)
	case action.PageDown:
		m.Page(1)
	case action.Top:
		m.Top()
	case action.Bottom:
		m.Bottom()
	case action.ScrollLeft:
		m.Scroll(-step)
	case action.ScrollRight:
		m.Scroll(step)
	default:
		return false
	}
	return true
}

// detailNames is the width of the name column, in cells.
const detailNames = 12

// Details returns a name and a value for each detail. A value has at most 12 lines that fit w cells.
func Details(details []models.Detail, w int) []pane.Line {
	var lines []pane.Line
	for _, d := range details {
		value := IndentedMost(theme.Plain, d.Value, max(w-detailNames-3, 8), 0, 12)
		name, blank := S(theme.Muted, " "+cell.Fit(d.Name, detailNames)+" "), S(theme.Muted, cell.Blanks(detailNames+2))
		lines = append(lines, Prefixed(value, name, blank)...)
	}
	return lines
}

// Problem returns the glyph that marks a problem of severity s, and the role in which the glyph is drawn.
func Problem(s userdata.Severity) (string, theme.Role) {
	switch s {
	case userdata.SeverityError:
		return theme.GlyphFailed, theme.Bad
	case userdata.SeverityWarning:
		return theme.GlyphMaint, theme.Warn
	case userdata.SeverityInfo:
	}
	return theme.GlyphIdle, theme.Muted
}

// Report returns lines that list the problems of a configuration with their positions. The lines below the problems
// show what the configuration does. The first span of a line is a problem's glyph or an effect's name.
func Report(report userdata.Report) []pane.Line {
	var lines []pane.Line
	for _, problem := range report.Problems {
		mark, role := Problem(problem.Severity)
		place := ""
		if problem.Line > 0 {
			place = fmt.Sprintf("%d:%d ", problem.Line, problem.Column)
		}
		lines = append(lines, pane.Line{S(role, " "+mark+" "), S(theme.Strong, place), S(theme.Plain, problem.Message)})
	}
	if len(lines) > 0 {
		lines = append(lines, nil)
	}
	for _, row := range report.Summary.Rows() {
		lines = append(lines, pane.Line{S(theme.Muted, fmt.Sprintf(" %-9s", row.Name)), S(theme.Plain, row.Text)})
	}
	return lines
}
