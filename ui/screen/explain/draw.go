package explain

import (
	"fmt"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/ui/action"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

const (
	// labels is the width of the label column, in cells.
	labels = 12
	// mostLines is the maximum number of lines for one text. It is needed because reasons can have any length.
	mostLines = 40
)

// Draw draws the heading and the explanations.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	return body.Page(t, w, h, s.heading(t, w), s.drawCount(t, w), func(h int) string { return s.content(t, w, h) })
}

// heading draws the node's name, its state, the time in that state, and the age of the explanation.
func (s *Screen) heading(t *theme.Theme, w int) string {
	left := []body.Span{body.S(theme.Strong, " "+cell.Cut(s.label(), max(w/3, 12)))}
	found, read := s.found.Value()
	switch {
	case s.seen:
		glyph, role := theme.Node(&s.row.Node)
		left = append(left, body.S(role, "  "+glyph+" "+s.row.Node.StateText()))
		if age := models.AgeInState(&s.row, s.env.ServerNow()); age != "" {
			left = append(left, body.S(theme.Muted, "  "+age))
		}
	case read:
		glyph, role := theme.State(found.State)
		left = append(left, body.S(role, "  "+glyph+" "+string(found.State)))
	}
	return body.Line(t, w, left, []body.Span{s.freshness()})
}

func (s *Screen) freshness() body.Span {
	if s.gone() {
		return body.S(theme.Bad, "deleted")
	}
	return body.FreshnessOf(s.found)
}

// drawCount draws a rule with the number of the explanation that is shown in full. If it is not the best one, the
// rule also contains the key that returns to the best one.
func (s *Screen) drawCount(t *theme.Theme, w int) string {
	text := ""
	if n := len(s.all()); n > 1 {
		text = fmt.Sprintf(" %d of %d explanations ", s.shown+1, n)
	}
	if s.shown > 0 {
		text += "· esc: best explanation "
	}
	return t.Rule(min(w, 1)) + body.Rule(t, theme.Muted, text, w-1)
}

// content draws the notices and, below them, the visible lines of the explanations.
func (s *Screen) content(t *theme.Theme, w, h int) string {
	top := s.notices(t, w, h)
	s.width, s.height = w, max(h-len(top), 0)
	if s.current() == nil || s.height == 0 {
		return cell.Block(top, w, h)
	}
	l := s.lay(w)
	s.keepWithin(l)
	at := l.places[s.cursor]
	hidden := at < s.top || at >= s.top+s.height
	if hidden && s.height > 1 {
		s.height-- // makes room for the line at the cursor, so that the effect of enter is always visible
		s.keepWithin(l)
	}
	lines := body.Draw(t, l.lines[s.top:min(s.top+s.height, len(l.lines))], w)
	if hidden && at >= s.top+s.height {
		lines = append(lines, body.Draw(t, l.lines[at:at+1], w)...)
	} else if hidden {
		lines = append(body.Draw(t, l.lines[at:at+1], w), lines...)
	}
	return cell.Block(append(top, lines...), w, h)
}

// notices returns the lines above the explanation. They say why the explanation is missing or outdated, for example
// because the node was deleted or the last request failed. If the explanation is current, notices returns nil.
func (s *Screen) notices(t *theme.Theme, w, h int) []string {
	var lines []pane.Line
	_, read := s.found.Value()
	switch {
	case s.session == nil:
		lines = body.Indented(theme.Muted, s.env.Keys.Text("No context is open; {connect} shows why."), w, 3)
	case !s.canExplain():
		lines = body.Indented(theme.Muted, "Explanations are not available here.", w, 3)
	case s.gone() && read:
		lines = body.IndentedMost(theme.Bad, theme.GlyphFailed+textDeletedNode, w, 1, 2)
	case s.gone():
		lines = body.IndentedMost(theme.Bad, theme.GlyphFailed+" Ironic has no node "+s.label()+".", w, 1, 2)
	case s.found.Err() != nil:
		lines = body.Fault(s.found.Err(), w)
	case !read:
		lines = body.Indented(theme.Muted, "Loading the node, its history and the conductors…", w, 3)
	default:
		return nil
	}
	lines = lines[:min(len(lines), max(h/2, 1))]
	return append(body.Draw(t, lines, w), "")
}

// layout holds all lines of the screen's content. places lists the indexes of the lines that the cursor can be on.
type layout struct {
	lines  []pane.Line
	places []int
	w      int
}

// add appends the lines of a text and puts the label before the first line.
func (l *layout) add(label string, role theme.Role, text string) {
	l.addLines(label, body.IndentedMost(role, text, l.w-l.indent()-1, 0, mostLines))
}

func (l *layout) addLines(label string, lines []pane.Line) {
	name, blank := cell.Fit(" "+label, l.indent()), cell.Blanks(l.indent())
	l.lines = append(l.lines, body.Prefixed(lines, body.S(theme.Muted, name), body.S(theme.Muted, blank))...)
}

// indent returns the column at which the text begins, to the right of the labels.
func (l *layout) indent() int { return min(labels+1, max(l.w/3, 0)) }

// place appends the lines of one cursor position. If at is true, the cursor is drawn on the first line.
func (l *layout) place(label string, at bool, lines []pane.Line) {
	l.places = append(l.places, len(l.lines))
	l.addLines(label, lines)
	if at && len(lines) > 0 && l.indent() > 3 {
		line := l.lines[l.places[len(l.places)-1]]
		name := cell.Fit(" "+label, l.indent()-2)
		l.lines[l.places[len(l.places)-1]] = append(pane.Line{body.S(theme.Muted, name), body.S(theme.Accent, theme.GlyphCursor+" ")}, line[1:]...)
	}
}

func (s *Screen) lay(w int) *layout {
	l := &layout{w: w}
	e := s.current()
	if e == nil {
		return l
	}
	glyph, role := verdictLook(e)
	verdict := body.IndentedMost(role, e.Verdict, w-4, 0, mostLines)
	l.lines = append(l.lines, body.Prefixed(verdict, body.S(role, " "+glyph+" "), body.S(role, "   "))...)
	glyph, role, meaning := confidenceLook(e.Confidence)
	l.lines = append(l.lines, pane.Line{
		body.S(role, " "+glyph+" "+string(e.Confidence)), body.S(theme.Muted, "  "+meaning+" · rule "+string(e.Rule)),
	}, nil)
	for i, item := range e.Evidence {
		l.add(first(i, "evidence"), theme.Plain, s.evidence(item))
	}
	for i, not := range e.Not {
		l.add(first(i, "ruled out"), theme.Plain, not)
	}
	l.lines = append(l.lines, nil)
	s.layNext(l, e)
	s.layOthers(l)
	found, _ := s.found.Value()
	for i, err := range found.Missing {
		l.add(first(i, "unavailable"), theme.Warn, models.OnScreen(err))
	}
	l.addLines("BMC", s.bmcLine(l.w-l.indent()-1))
	if e.Source != "" {
		l.add("source", theme.Muted, e.Source)
	}
	return l
}

// layNext appends the suggested action: its description, the effect of the enter key, and the command.
func (s *Screen) layNext(l *layout, e *explain.Explanation) {
	l.add("next", theme.Strong, e.Next.Text)
	key := pane.Line{body.S(theme.Key, "enter"), body.S(theme.Plain, "  "+s.nextText(e))}
	command := body.IndentedMost(theme.Plain, e.Next.Command, l.w-l.indent()-1, 0, mostLines)
	if n := len(command); n > 0 {
		command[n-1] = append(command[n-1], body.S(theme.Muted, s.env.Keys.Text("  ({copy} copies)")))
	}
	l.place("", s.cursor == 0, append([]pane.Line{key}, command...))
	l.lines = append(l.lines, nil)
}

// nextText returns the effect of the enter key: the suggested action and the action's own key.
func (s *Screen) nextText(e *explain.Explanation) string {
	if e.Next.Key == "" {
		return "copy the command"
	}
	text := e.Next.Key
	if a, known := s.env.Keys.Find(action.ID(e.Next.Key)); known && a.Key() != "" {
		return text + " (" + action.KeyText(a.Key()) + ")"
	}
	return text + " (:" + e.Next.Key + ")"
}

func (s *Screen) layOthers(l *layout) {
	for i, place := range s.others() {
		e := &s.all()[place]
		glyph, role, _ := confidenceLook(e.Confidence)
		word := fmt.Sprintf("%s %-6s  ", glyph, e.Confidence)
		indent := cell.Width(word)
		lines := body.IndentedMost(theme.Plain, e.Verdict, l.w-l.indent()-1-indent, 0, mostLines)
		lines = body.Prefixed(lines, body.S(role, word), body.S(theme.Plain, cell.Blanks(indent)))
		if len(lines) == 0 { // the window is too narrow for a text
			lines = []pane.Line{{body.S(role, word)}}
		}
		l.place(first(i, "alternative"), s.cursor == i+1, lines)
	}
	if len(s.others()) > 0 {
		l.lines = append(l.lines, nil)
	}
}

// evidence returns an observed field with its value and age. The age is rounded so that the text seldom changes.
func (s *Screen) evidence(e models.Observation) string {
	text := e.Field + " = " + e.Value
	if e.AgeSeconds <= 0 {
		return text
	}
	age := time.Duration(e.AgeSeconds)*time.Second + time.Since(s.found.Asked())
	if age < time.Minute {
		return text + " (just now)"
	}
	return text + " (" + models.CoarseAge(age) + " ago)"
}

// verdictLook returns the glyph and the role of a verdict. "Nothing is wrong" has a glyph of its own.
func verdictLook(e *explain.Explanation) (glyph string, role theme.Role) {
	switch {
	case e.NoProblem:
		return theme.GlyphDone, theme.Good
	case e.Confidence == explain.ConfidenceLow:
		return theme.GlyphUnknown, theme.Warn
	}
	return theme.GlyphFailed, theme.Bad
}

// confidenceLook returns the glyph and the role of a level of confidence, and its meaning in words.
func confidenceLook(c explain.Confidence) (glyph string, role theme.Role, meaning string) {
	switch c {
	case explain.ConfidenceHigh:
		return theme.GlyphActive, theme.Good, "confirmed by evidence"
	case explain.ConfidenceMedium:
		return theme.GlyphWorking, theme.Warn, "best match"
	case explain.ConfidenceLow:
	}
	return theme.GlyphIdle, theme.Muted, "a guess"
}

func first(i int, label string) string {
	if i > 0 {
		return ""
	}
	return label
}

func (s *Screen) text(e *explain.Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n%s  (%s, rule %s)\n", s.label(), string(s.state()), e.Verdict, e.Confidence, e.Rule)
	for _, item := range e.Evidence {
		b.WriteString("evidence: " + s.evidence(item) + "\n")
	}
	for _, not := range e.Not {
		b.WriteString("not: " + not + "\n")
	}
	b.WriteString("next: " + e.Next.Text + "\n" + s.command(e).Text + "\n")
	return b.String()
}

// state returns the node's state in the store or, if it was never there, the state that was explained.
func (s *Screen) state() models.ProvisionState {
	if found, read := s.found.Value(); read && !s.seen {
		return found.State
	}
	return s.row.Node.ProvisionState
}
