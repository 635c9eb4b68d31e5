package e2e

import (
	"net/http"
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

func TestScreenSmallTerminal(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		group := unique("tiny")
		for _, n := range []string{"-a", "-b", "-c"} {
			server.CreateNode(t, map[string]any{"name": group + n, "deploy_interface": "fake"})
		}
		c, p := behindProxy(t, server)
		s := c.screen(size{40, 10})
		s.until("updated ≤", "? keys")
		s.filter("name:" + group)
		s.rowSays(group+"-a", "○ enroll") // if there are many nodes, the first page may lack these
		s.rowSays(group+"-c", "○ enroll")
		s.press(terminal.Home, " ")
		s.until("1 marked")
		s.whole("? keys")
		s.rowSays(group+"-b", "❯", "○ enroll")

		// Everything stays usable: lists, a node, and a question with its whole prompt.
		for _, list := range []struct{ key, title string }{{"?", helpTitle}, {":", paletteTitle}, {"a", "Act on "}} {
			s.list(list.key, list.title)
			s.whole("esc")
			s.press(terminal.Esc)
			s.gone("╭─")
		}
		s.press("-M") // acts on the node at the cursor
		s.rowSays(group+"-b", "○ manageable")
		s.press("P")
		s.until("provide "+group+"-b?", "confirm.", "│ >", "Type "+group)
		s.press(terminal.Esc)
		s.gone("╭─")
		s.press(terminal.Enter)
		s.until("[Overview]", "manageable")
		s.whole("? keys")
		s.press(terminal.Esc)
		s.until("NAME")
		s.rowSays(group+"-a", "○ enroll")
		s.press(" ")
		s.until("1 marked")
		before := s.Text()

		// If the terminal is too small, the console says so. Once it is large enough again, the screen returns
		// unchanged.
		for _, at := range []size{{20, 5}, {29, 30}, {80, 6}, {1, 1}, {2, 40}, {200, 2}} {
			if err := s.Resize(at.w, at.h); err != nil {
				t.Fatal(err)
			}
			if at.w >= 20 && at.h >= 5 {
				s.until("too small")
				s.gone("NAME")
			}
			s.resize(size{40, 10})
			s.when("the screen as before", func() bool { return s.Text() == before })
		}
		if err := s.Resize(20, 5); err != nil {
			t.Fatal(err)
		}
		s.until("ironworks", "updated ≤", "too small", "q quits")
		if n := p.Count(http.MethodPut); n != 1 {
			t.Errorf("%d requests were sent", n)
		}
		s.quits()
	})
}

func TestScreenResizeStorm(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		name, _ := screenNode(t, server, "storm")
		s := consoleAt(t, server).fleet(roomy)
		s.filterFor(name)
		for i := range 200 {
			if err := s.Resize(1+i*37%180, 1+i*23%60); err != nil {
				t.Fatal(err)
			}
			if i%20 == 0 {
				s.press([]string{"?", terminal.Esc, terminal.Enter, terminal.Tab, terminal.Esc}[i/20%5])
			}
		}
		s.press(terminal.Esc)
		s.resize(size{100, 30})
		s.press("1")
		s.until("› fleet")
		s.filterFor(name)
		s.rowSays(name, "○ enroll")
		s.whole("? keys")
		s.quits()
	})
}

// visitAll calls look on every screen and with every list and dialog open.
func (s *screenConsole) visitAll(name string, look func(where string)) {
	s.t.Helper()
	look("fleet")
	for _, list := range []struct{ key, title string }{{"?", helpTitle}, {":", paletteTitle}, {"y", "Copy"}, {"s", "Sort by"}, {"a", "Act on " + name}, {"!", "Messages"}} {
		s.press(list.key)
		s.until(list.title)
		look(list.title)
		s.press(terminal.Esc)
		s.gone(" " + list.title + " ")
	}
	s.press(terminal.Enter)
	for _, tab := range nodeTabs() {
		s.until(tab)
		look(tab)
		s.press(terminal.Tab)
	}
	for _, to := range []struct{ key, title string }{{"2", "events"}, {"3", "conductors"}, {"4", "connect"}, {"5", "tasks"}, {"7", "watch"}} {
		s.press(to.key)
		s.until(" " + to.title)
		look(to.title)
	}
	s.press("1")
	s.filterFor(name)
	s.press("P")
	s.until("provide: not possible")
	look("a refusal")
	s.press("m")
	s.until("maintenance-on " + name)
	look("a form")
	s.press(terminal.Esc)
	s.gone("maintenance-on " + name)
	s.press("M")
	s.until("done, now manageable", "○ manageable")
	look("a success")
	s.press("P")
	s.until(takesTo)
	look("a question")
	s.press(terminal.Esc)
	s.gone(takesTo)
}

// nodeTabs returns the labels that a node's tabs have when they are selected.
func nodeTabs() []string {
	return []string{"[Overview]", "[Timeline]", "[Steps]", "[Disks]", "[Network]", "[BMC]", "[Log]", "[History]", "[Raw]"}
}

func TestScreenWithoutColor(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		name, _ := screenNode(t, server, "grey")
		s := newConsole(t, "IRONWORKS_URL="+server.URL, "NO_COLOR=1").fleet(roomy)
		s.filterFor(name)
		bold := map[string]bool{}
		s.visitAll(name, func(where string) {
			w, h := s.Size()
			for y := range h {
				for x := range w {
					c := s.Cell(x, y)
					bold[where] = bold[where] || c.Bold
					if c.Foreground != nil || c.Background != nil {
						t.Fatalf("%s: %q at %d,%d has a color: %v on %v\n%s", where, c.Text, x, y, c.Foreground, c.Background, s.Describe())
					}
				}
			}
			if !bold[where] {
				t.Errorf("%s: nothing is bold:\n%s", where, s.Describe())
			}
		})
		s.quits()
	})
}

func TestScreenASCII(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		name, _ := screenNode(t, server, "plain")
		s := consoleAt(t, server).screen(roomy, "--ascii")
		s.until("updated <")
		s.press("/", "name:="+name, terminal.Enter)
		s.until(" / name:=" + name)
		found := map[string]bool{}
		look := func(where string) {
			for _, line := range s.Lines() {
				for _, r := range line {
					if r > '~' && !found[string(r)] {
						found[string(r)] = true
						t.Errorf("%s: %q (%U) in %q", where, r, r, line)
					}
				}
			}
		}
		s.asciiEverywhere(name, look)
		s.quits()
	})
}

func (s *screenConsole) asciiEverywhere(name string, look func(where string)) {
	s.t.Helper()
	look("fleet")
	for _, key := range []string{"?", ":", "y", "s", "a", "!"} {
		s.press(key)
		s.until("+- ")
		look(key)
		s.press(terminal.Esc)
		s.gone("+- ")
	}
	s.press("P")
	s.until("! provide: not possible")
	look("a refusal")
	s.press("M")
	s.until("v manage "+name+": done", "o manageable")
	look("a success")
	s.press("P")
	s.until(takesTo)
	look("a question")
	s.press(terminal.Esc)
	s.gone(takesTo)
	s.press(terminal.Enter)
	for _, tab := range nodeTabs() {
		s.until(tab)
		look(tab)
		s.press(terminal.Tab)
	}
	for _, to := range []struct{ key, title string }{{"2", "> events"}, {"3", "> conductors"}, {"4", "> connect"}, {"5", "> tasks"}, {"7", "> watch"}} {
		s.press(to.key)
		s.until(to.title)
		look(to.title)
	}
}

// TestScreenPaste pastes 1 MiB over the fleet and into several text fields, and checks that the text triggers no
// action.
func TestScreenPaste(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		name, uuid := screenNode(t, server, "paste")
		c, p := behindProxy(t, server)
		s := c.fleet(roomy)
		s.filterFor(name)
		keys := "MUDmRq*\ty\n1?:a" + terminal.Esc
		junk := strings.Repeat(strings.ReplaceAll(keys, terminal.Esc, ""), 1<<20/len(keys))
		s.Paste(junk) // outside of a text field, pasted text is ignored
		s.press("s")
		s.until("╭─ Sort by")
		s.press(terminal.Esc)
		s.gone("╭─")
		s.press("/", terminal.CtrlU)
		s.until("text, key:value, !not, ~fuzzy")
		s.Paste(junk)
		s.gone("text, key:value")
		s.press(terminal.CtrlU, "name:="+name, terminal.Enter)
		s.until(" / name:=" + name + " ")
		s.rowSays(name, "○ enroll")
		s.press("m")
		s.until("╭─ maintenance-on " + name)
		s.Paste(junk)
		s.press(terminal.Esc)
		s.gone("╭─")
		s.press(":")
		s.until(paletteTitle)
		s.Paste(junk)
		s.until("No matches.")
		s.press(terminal.Esc)
		s.gone("╭─")
		n := apiNode(t, server, uuid)
		if sent := p.Count("") - p.Count(http.MethodGet); sent != 0 || n["provision_state"] != "enroll" || n["maintenance"] != false {
			t.Errorf("%d requests, the node is %v", sent, n["provision_state"])
		}
		s.quits()
	})
}
