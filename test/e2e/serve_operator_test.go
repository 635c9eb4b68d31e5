package e2e

import (
	"strings"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
	"ironworks/ui/action"
)

// TestServeOperatorKeys tries every action that changes something, by its key and by its name, both as an operator
// and as an admin. It checks that no action is refused because of the role, and that only an admin may override a
// failed check.
func TestServeOperatorKeys(t *testing.T) {
	t.Parallel()
	for _, user := range []string{"ben", "anna"} {
		inTheLab(t, func(t *testing.T, server *ironic.Server) {
			v := served(t, server, "nobody")
			node, _, _ := redfishNode(t, server, "ok")
			v.as(user, 0, "manage", node, "--wait", "--timeout", "3m")
			v.as(user, 0, "provide", node, "--wait", "--timeout", "3m")
			s := v.screen(user)
			s.filterFor(node)
			s.rowSays(node, "available")
			s.overrideIsFor(user == "anna", node)
			tried := 0
			places := placesOfScopes(node)
			places[action.Enroll] = placeOfScope{open: func(s *screenConsole) { s.press("n") }, shows: "› enroll"}
			places[action.Review] = placeOfScope{open: func(s *screenConsole) { s.reviews(node) }, shows: "Review]"}
			for _, a := range action.All() {
				if !a.Changes && a.ID != action.Validate {
					continue
				}
				at := places[a.Scope]
				if at.closed == "" && a.ID != action.Shell { // no role may open shells
					s.allowsAction(&a, at)
				}
				tried++
			}
			if tried < 50 {
				t.Errorf("%s: %d actions tried", user, tried)
			}
			s.quits()
		})
	}
}

// overrideIsFor deploys a node without an inventory, once with the form and once with the wizard. It checks that the
// failed check can be overridden if and only if allowed is true. Nothing is sent.
func (s *screenConsole) overrideIsFor(allowed bool, node string) {
	s.t.Helper()
	const offered = "O override a check"
	s.deploys(node, "", `{"serial": "x"}`)
	s.until("refused for "+node+": nothing was sent", "failed: inventory")
	if s.Contains(offered) != allowed {
		s.t.Errorf("allowed: %v, but the form shows\n%s", allowed, s.Describe())
	}
	s.press("O")
	if allowed {
		s.until("╭─ Override a check")
		s.press(terminal.Esc)
		s.gone("╭─ Override a check")
	} else {
		s.press(terminal.Esc)
	}
	s.gone("refused for")
	s.reviews(node)
	s.press("O")
	if allowed {
		s.until("Override 1 failed check of "+node, takesTo)
	} else {
		s.until("the failed checks cannot be overridden")
	}
	s.press(terminal.Esc)
	s.gone("Override 1 failed check")
}

// reviews opens the wizard for node and goes to its last page.
func (s *screenConsole) reviews(node string) {
	s.t.Helper()
	s.press("d")
	s.until("Deploy  "+node, "1 check failed")
	s.press("r")
	s.until("Review]", "updated just now")
}

// allowsAction tries an action by its key and by its name, and checks that both have an effect and that no message is
// about the role.
func (s *screenConsole) allowsAction(a *action.Action, at placeOfScope) {
	s.t.Helper()
	s.goesTo(at)
	if key := a.Key(); key != "" {
		tab, message := s.openTab(), s.message()
		s.press(key)
		s.when(string(a.ID)+" has an answer: a dialog, another page or a message", func() bool {
			return s.dialogTop() != "" || s.openTab() != tab || s.message() != message && s.message() != ""
		})
		s.lacks("requires the operator role", "your role", servedText)
		s.closesDialogs()
		s.goesTo(at)
	}
	s.list(":", paletteTitle)
	s.press(string(a.ID))
	s.within(time.Minute, "the palette has "+string(a.ID), func() bool { return strings.Count(s.Text(), string(a.ID)) > 1 }) // once as typed and once as found
	s.lacks("requires the operator role", "your role")
	s.press(terminal.Esc)
	s.gone("╭─ " + paletteTitle)
}

// message returns the first line of the message at the bottom of the screen, or "" if there is none.
func (s *screenConsole) message() string {
	lines := s.Lines()
	for i := len(lines) - 1; i >= 0 && !strings.HasPrefix(lines[i], "───"); i-- {
		for _, glyph := range []string{"✓", "▲", "✖", "·"} {
			if strings.HasPrefix(lines[i], " "+glyph+" ") {
				return lines[i]
			}
		}
	}
	return ""
}

// goesTo opens the screen of a scope and keeps the fleet's filter.
func (s *screenConsole) goesTo(at placeOfScope) {
	s.t.Helper()
	s.press("1")
	s.until("› fleet")
	at.open(s)
	s.until(at.shows)
}

// closesDialogs presses esc until no dialog is open.
func (s *screenConsole) closesDialogs() {
	s.t.Helper()
	for range 5 {
		if !s.Contains("╭─") {
			return
		}
		before := s.dialogTop()
		s.press(terminal.Esc)
		s.when("esc has an answer", func() bool { return s.dialogTop() != before })
	}
	s.t.Errorf("a dialog stays open:\n%s", s.Describe())
}

// dialogTop returns the line with the title of the open dialog, or "" if there is none.
func (s *screenConsole) dialogTop() string {
	for _, line := range s.Lines() {
		if strings.Contains(line, "╭─") {
			return line
		}
	}
	return ""
}
