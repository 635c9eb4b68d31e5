package explain

import (
	"regexp"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"
	tea "charm.land/bubbletea/v2"

	"ironworks/models/explain"
	"ironworks/ui/action"
	"ironworks/ui/screen"
)

// Do runs the given action.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return s.open()
	case action.Up:
		s.move(-1)
	case action.Down:
		s.move(1)
	case action.PageUp:
		s.scroll(-s.page())
	case action.PageDown:
		s.scroll(s.page())
	case action.Top:
		s.cursor, s.top = 0, 0
	case action.Bottom:
		s.cursor = len(s.others())
		s.scroll(len(s.lay(s.width).lines))
	case action.ExplainBMC:
		return s.queryBMC()
	default: // the action belongs to another screen
	}
	return nil
}

// open runs the suggested action or, if there is none, copies the suggested command. If the cursor is at another
// explanation, open shows that explanation in full.
func (s *Screen) open() tea.Cmd {
	e := s.current()
	if e == nil {
		return nil
	}
	if s.cursor > 0 {
		s.show(s.others()[s.cursor-1])
		return nil
	}
	id := action.ID(e.Next.Key)
	switch {
	case id == "":
		return screen.Send(screen.CopyText{Copyable: s.command(e)})
	case ofNode(id):
		return screen.Send(screen.Open{Ref: screen.Ref{Kind: screen.KindNode, ID: s.uuid}, Then: id})
	}
	return screen.Send(screen.Press{ID: id, Settings: settings(e.Next.Command)})
}

// placeholder matches a value, such as NAME or a sample path, that the operator has to replace in a command.
var placeholder = regexp.MustCompile(`(=|:)(?:[A-Z][A-Z0-9]+|/path/[a-z/.]+)$`)

// settings returns the KEY=VALUE words of a set command, without placeholder values, or "" for other commands.
func settings(command string) string {
	words := strings.Fields(command)
	if len(words) < 4 || words[1] != "set" {
		return ""
	}
	for i, w := range words[3:] {
		words[3+i] = placeholder.ReplaceAllString(w, "$1")
	}
	return strings.Join(words[3:], " ")
}

// ofNode reports whether an action, such as the selection of a tab, belongs to the Node screen.
func ofNode(id action.ID) bool {
	return slices.ContainsFunc(action.In(action.Node), func(a *action.Action) bool { return a.ID == id })
}

// show selects the explanation with index place as the one that is shown in full.
func (s *Screen) show(place int) {
	s.shown, s.rule = place, s.all()[place].Rule
	s.cursor, s.top = 0, 0
}

// page returns the number of lines for a page key: one less than the height, so that one line stays visible.
func (s *Screen) page() int { return max(s.height-1, 1) }

// move moves the cursor to the next position in the given direction. If that position is far away, it scrolls by one
// line instead, so that no line is skipped.
func (s *Screen) move(by int) {
	l := s.lay(s.width)
	to := s.cursor + by
	if to >= 0 && to < len(l.places) {
		if at := l.places[to]; at >= s.top-1 && at <= s.top+s.height {
			s.cursor = to
			s.top = min(max(s.top, at-s.height+1), at)
			return
		}
	}
	s.scroll(by)
}

func (s *Screen) scroll(by int) {
	s.top += by
	s.keepWithin(s.lay(s.width))
}

// keepWithin limits the scroll position, so that the lines fill the height as far as possible.
func (s *Screen) keepWithin(l *layout) { s.top = min(max(s.top, 0), max(len(l.lines)-s.height, 0)) }

// Widen returns from another explanation to the best one.
func (s *Screen) Widen() (tea.Cmd, bool) {
	if s.shown == 0 {
		return nil, false
	}
	s.show(0)
	return nil, true
}

// DisabledReason returns the reason why the action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	a, ok := action.Find(id)
	switch {
	case id == action.ExplainBMC:
		return s.whyBMC()
	case id == action.Open && s.current() == nil:
		return "no explanation yet"
	case !ok || a.Scope != action.Nodes:
		return ""
	case s.session == nil:
		return textNotConnected
	case s.gone():
		return "the node was deleted"
	}
	return ""
}

// Copies returns the command of the suggested action, the verdict, the whole explanation, and the result of
// [screen.NodeCopies] for the node. If the node was never in the store, Copies returns only its UUID in place of that
// result.
func (s *Screen) Copies() []screen.Copyable {
	var copies []screen.Copyable
	if e := s.current(); e != nil {
		copies = append(copies, s.command(e), screen.Copyable{Name: "verdict", Text: e.Verdict}, screen.Copyable{Name: "explanation", Text: s.text(e), Shape: screen.Lines})
	}
	if !s.seen {
		return append(copies, screen.Copyable{Name: "uuid", Text: s.uuid})
	}
	return append(copies, screen.NodeCopies(s.env, &s.row.Node)...)
}

func (s *Screen) command(e *explain.Explanation) screen.Copyable {
	words := []string{s.env.Program, strings.TrimPrefix(e.Next.Command, "ironworks ")}
	for _, option := range s.session.Options {
		words = append(words, shellescape.Quote(option))
	}
	return screen.Copyable{Name: "next command", Text: strings.Join(words, " ")}
}
