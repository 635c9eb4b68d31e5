package e2e

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
	"ironworks/test/weather"
	"ironworks/ui/action"
)

// places describes each screen by its name in the palette, some text that it shows, and the scopes of its actions.
func places() []struct {
	word, shows string
	scopes      []action.Scope
} {
	return []struct {
		word, shows string
		scopes      []action.Scope
	}{
		{"fleet", "› fleet", []action.Scope{action.Fleet, action.List, action.Filtered, action.Nodes}},
		{"events", "› events", []action.Scope{action.List, action.Filtered, action.Events}},
		{"conductors", "› conductors", []action.Scope{action.Conductors}},
		{"connect", "› connect", []action.Scope{action.List, action.Connect}},
		{"tasks", "› tasks", []action.Scope{action.List, action.Tasks}},
		{"watch", "› watch", []action.Scope{action.Watch, action.List, action.Nodes}},
		{"rules", "› rules", []action.Scope{action.Rules, action.List}},
		{"templates", "› templates", []action.Scope{action.StepFiles, action.List}},
		{"runbooks", "› runbooks", []action.Scope{action.StepFiles, action.List}},
	}
}

// checkHelp checks that the help lists every action of the scopes.
func (s *screenConsole) checkHelp(scopes ...action.Scope) {
	s.t.Helper()
	s.list("?", helpTitle)
	for _, a := range action.In(scopes...) {
		s.press(terminal.CtrlU, string(a.ID))
		s.when("the list has "+string(a.ID), func() bool {
			for _, line := range s.Lines() {
				_, item, found := strings.Cut(line, "│ ❯ ")
				if found && strings.Contains(" "+item+" ", " "+string(a.ID)+" ") {
					return true
				}
			}
			return false
		})
	}
	s.press(terminal.Esc)
	s.gone("╭─ " + helpTitle)
}

// TestScreenNewUser checks that every screen can be found by its name and every action through the help.
func TestScreenNewUser(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		name, _ := screenNode(t, server, "novice")
		s := consoleAt(t, server).fleet(roomy)
		s.filterFor(name)
		for _, place := range places() {
			s.pick(":", paletteTitle, place.word)
			s.until(place.shows)
			s.checkHelp(append(place.scopes, action.Everywhere)...)
		}
		s.pick(":", paletteTitle, name)
		s.until("› "+name, "[Overview]")
		s.checkHelp(action.Reading, action.Node, action.Nodes, action.Everywhere)
		s.pick("?", helpTitle, "next-tab")
		s.until("[Timeline]")
		s.checkHelp(action.List, action.Node, action.Nodes)
		s.pick("?", helpTitle, "maintenance-on")
		s.until("╭─ maintenance-on " + name)
		s.press(terminal.Esc)
		s.gone("╭─")
		s.pick("?", helpTitle, "manage")
		s.until("manage " + name + ": done")
		s.pick(":", paletteTitle, "tasks")
		s.until("✓ done")
		s.press(terminal.Enter)
		s.until("› task 1 manage")
		s.checkHelp(action.List, action.Task)
		s.pick("?", helpTitle, "quit")
		s.ends(0)
	})
}

// TestScreenEveryKeyAnswers presses the key of every global action on every screen, and checks that each has a
// visible effect or shows why it is not possible.
func TestScreenEveryKeyAnswers(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		c, p := behindProxy(t, server)
		name, _ := screenNode(t, server, "keys")
		s := c.fleet(roomy)
		s.filterFor(name)
		for _, place := range places() {
			s.pick(":", paletteTitle, place.word)
			s.until(place.shows)
			s.checkKeysAnswer(p, place.word, place.shows)
		}
		s.press("1", terminal.Enter)
		s.until("› " + name)
		s.checkKeysAnswer(p, name, "› "+name)

		// These are the actions on nodes, except manage, which would start without a question.
		for _, place := range []struct{ word, shows string }{{"node", "› " + name}, {"fleet", "› fleet"}} {
			s.until(place.shows)
			for _, a := range action.In(action.Nodes) {
				if a.Key() == "" || a.Key() == "M" {
					continue
				}
				s.press(a.Key())
				// The effect is a dialog, a reason, the result of a request that took less than a frame, or another
				// screen.
				s.when(place.word+": "+a.Key()+" has an effect", func() bool {
					return s.Contains("╭─") || s.Contains(string(a.ID)+": ") || s.Contains(string(a.ID)+" "+name+": ") ||
						!s.Contains(place.shows)
				})
				if a.Key() == "R" {
					s.until(takesYes)
				}
				s.press(terminal.CtrlL)
				if s.Contains("╭─") {
					s.press(terminal.Esc)
					s.gone("╭─")
				}
				if !s.Contains(place.shows) {
					s.press(terminal.Esc)
					s.until(place.shows)
				}
			}
			s.press("1")
			s.until("› fleet")
		}
		if n := p.Count("") - p.Count(http.MethodGet); n != 0 {
			t.Errorf("%d requests were sent that are no reading", n)
		}
		s.quits()
	})
}

// checkKeysAnswer presses the keys of all global actions, and checks that each has an effect.
func (s *screenConsole) checkKeysAnswer(p *weather.Proxy, word, here string) {
	s.t.Helper()
	for _, a := range action.In(action.Everywhere) {
		key := map[string]string{"esc": terminal.Esc, "ctrl+r": terminal.CtrlR, "ctrl+o": "\x0f", "ctrl+l": terminal.CtrlL}[a.Key()]
		if key == "" {
			key = a.Key()
		}
		before, sent, written := s.Text(), len(p.Requests()), s.Bytes()
		changed := func() bool { return s.Text() != before }
		switch a.ID {
		case action.Quit, action.Suspend, action.Back, action.Older, action.Newer:
			continue // tested elsewhere, or they leave the screen
		case action.Refresh:
			s.press(key)
			ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Minute)
			// The polls in between sort by the time of change; a full listing does not.
			listed := func(r weather.Request) bool { return r.Path == "/v1/nodes" && !r.Query.Has("sort_key") }
			asked := func(context.Context) (bool, error) { return slices.ContainsFunc(p.Requests()[sent:], listed), nil }
			if err := ironic.Poll(ctx, 10*time.Millisecond, asked); err != nil {
				s.t.Errorf("%s: ctrl+r sends no full listing: %v", here, p.Requests()[sent:])
			}
			cancel()
		case action.Redraw:
			s.press(key)
			s.when("the screen is painted", func() bool { return s.Bytes() > written+200 && s.Contains(here) })
		case action.ReadOnly:
			s.press(key)
			s.until("[read-only]")
			s.press(key)
			s.gone("[read-only]")
		case action.Mouse:
			s.pick(":", paletteTitle, string(a.ID))
			s.until("mouse on")
			s.pick(":", paletteTitle, string(a.ID))
			s.until("mouse off")
		case action.DeployResume:
			s.pick(":", paletteTitle, string(a.ID))
			s.until("no interrupted deployments")
		case action.GoEnroll, action.GoRules, action.GoTemplates, action.GoRunbooks:
			s.pick(":", paletteTitle, string(a.ID))
			s.until("› " + string(a.ID))
			s.pick(":", paletteTitle, word)
			s.until(here)
		case action.GoFleet, action.GoEvents, action.GoDrivers, action.GoConnect, action.GoTasks, action.GoIgnition, action.GoWatch:
			s.press(key)
			s.until("› " + string(a.ID))
			s.pick(":", paletteTitle, word)
			s.until(here)
		default:
			// A dialog or a reason must appear; a displayed age that grew does not count.
			s.press(key)
			s.when(here+": "+string(a.ID)+" has an effect", func() bool {
				return changed() && (s.Contains("╭─") || s.Contains(string(a.ID)+": "))
			})
			if s.Contains("╭─") {
				s.press(terminal.Esc)
				s.gone("╭─")
			}
		}
	}
}
