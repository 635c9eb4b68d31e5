package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
	"ironworks/test/weather"
)

// keyLimit is the longest time that a key may take to have its effect on the screen of a busy machine. A request to a
// frozen Ironic takes longer.
const keyLimit = 8 * time.Second

// TestScreenFreezeAndCrashOfIronic freezes and kills a real Ironic while the console runs, and checks that the
// console keeps working.
func TestScreenFreezeAndCrashOfIronic(t *testing.T) {
	t.Parallel()
	for _, r := range newestReleases(t) {
		t.Run(r.Version(), func(t *testing.T) {
			t.Parallel()
			server := ironic.StartT(t, ironic.Options{Release: r})
			first, _ := screenNode(t, server, "ice-a")
			second, _ := screenNode(t, server, "ice-b")
			s := consoleAt(t, server).fleet(roomy, "--connect-timeout", "2s")
			s.rowSays(second, "○ enroll")

			if err := server.Pause(); err != nil {
				t.Fatal(err)
			}
			s.press(terminal.CtrlR)
			s.checkKeysWork(first, second)
			s.within(patience, "the age of the data", func() bool { return strings.Contains(s.Line(0), " old") })
			s.checkKeysWork(first, second)
			if err := server.Resume(); err != nil {
				t.Fatal(err)
			}
			s.press(terminal.CtrlR)
			s.until("› fleet", "updated ≤")

			server.Kill()
			s.press(terminal.CtrlR)
			s.within(patience, "the lost connection", func() bool { return strings.Contains(s.Line(0), " old") })
			s.checkKeysWork(first, second)
			s.press("4")
			s.until("connection refused")
			s.press("1")
			if err := server.Restart(context.Background()); err != nil {
				t.Fatal(err)
			}
			s.press(terminal.CtrlR)
			s.until("› fleet", "updated ≤")
			s.rowSays(first, "○ enroll")
			s.quits()
		})
	}
}

// checkKeysWork presses keys that need no request to Ironic, and checks that each has its effect within keyLimit.
func (s *screenConsole) checkKeysWork(first, second string) {
	s.t.Helper()
	shows := func(key, what string, wanted func() bool) {
		s.t.Helper()
		s.press(key)
		s.within(keyLimit, what, wanted)
	}
	cursorAt := func(name string) func() bool {
		return func() bool { return strings.HasPrefix(s.row(name), "❯") }
	}
	shows(terminal.End, "the cursor at the end", cursorAt(second))
	shows("k", "the cursor one up", cursorAt(first))
	shows(" ", "a mark", func() bool { return s.Contains("1 marked") })
	shows("-", "no mark", func() bool { return !s.Contains("marked") })
	shows("/"+second, "a filter", func() bool { return s.rowAt(first) < 0 && s.rowAt(second) >= 0 })
	shows(terminal.Esc, "no filter", func() bool { return s.rowAt(first) >= 0 })
	shows(terminal.Home+terminal.Enter, "the node", func() bool { return s.Contains("› "+first) && s.Contains("fake-hardware") })
	shows(terminal.Tab, "its timeline", func() bool { return s.Contains("[Timeline]") })
	shows("?", "the help", func() bool { return s.Contains(helpTitle) })
	shows(terminal.Esc, "no help", func() bool { return !s.Contains(helpTitle) })
	shows(terminal.Esc, "the fleet", func() bool { return s.Contains("› fleet") })
}

func TestScreenNodeDeletedWhileOpen(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		name, uuid := screenNode(t, server, "doomed")
		c, p := behindProxy(t, server)
		s := c.fleet(roomy)
		s.filterFor(name)
		s.press(terminal.Enter)
		s.until("› "+name, "updated just now")
		if status, body, err := server.Do(t.Context(), http.MethodDelete, "/v1/nodes/"+uuid, nil); err != nil || status != http.StatusNoContent {
			t.Fatal(status, err, string(body))
		}
		s.press(terminal.CtrlR)
		s.until("This node was deleted", name)
		s.press("M")
		s.until("manage: the node was deleted")
		for range 5 {
			s.press(terminal.Tab)
			s.until("This node was deleted")
		}
		s.press("[")
		s.until("› fleet")
		s.press("]")
		s.until("› "+name, "This node was deleted")
		if n := p.Count(http.MethodPut); n != 0 {
			t.Errorf("%d requests were sent", n)
		}
		s.quits()
	})
}

// TestScreenHostileNames checks how the console shows names that Ironic rejects but that a broken or hostile server
// may send.
func TestScreenHostileNames(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		hostile := []string{
			"\x1b[2J\x1b[31mred\x1b]0;pwned\x07\x1b]52;c;cHduZWQ=\x07", "\u202eevil\u202c\u2066x\u200b", "機器機器機器機器機器機器機器機器機器機器機器機器機器機器",
			"ze\u0301\u0301\u0301\u0301ro\u0327", "👩\u200d👩\u200d👧\u200d👦🇩🇪👍🏽", "a\nb\tc\rd\x00e\x7ff\u0085g\x9b31m", strings.Repeat("W", 300), "\xff\xfe", " ",
		}
		group := unique("odd")
		given := map[string]string{}
		for i, name := range hostile {
			plain := group + "-" + string(rune('a'+i))
			server.CreateNode(t, map[string]any{"name": plain, "resource_class": "gp"})
			given[plain] = plain + name
		}
		c, p := behindProxy(t, server)
		p.Set(weather.All(weather.Rewrite("name", func(v any) any {
			if name, ok := v.(string); ok && given[name] != "" {
				return given[name]
			}
			return v
		})))
		s := c.fleet(roomy)
		s.filter("name:" + group)
		s.until("9 of ")
		for _, at := range []size{roomy, {80, 24}, {200, 50}, {57, 20}} {
			s.resize(at)
			s.until("9 of ")
			s.whole("? keys")
			x, y, ok := s.Find("STATE▴")
			if !ok {
				t.Fatalf("no title:\n%s", s.Describe())
			}
			for i := range hostile {
				if got := s.Cell(x, y+1+i).Text; got != "○" {
					t.Errorf("%d×%d: the state of row %d is not in its column but %q:\n%s", at.w, at.h, i, got, s.Describe())
				}
			}
		}
		s.press("4") // shows another screen, so that each node is opened from the list
		for i := range hostile {
			s.press("1", terminal.Home, strings.Repeat(terminal.Down, i), terminal.Enter)
			s.until("[Overview]", group+"-"+string(rune('a'+i)))
			s.whole("? keys")
			s.press("a")
			s.until("╭─ Act on " + group)
			s.press(terminal.Esc)
			s.gone("╭─")
		}
		if s.Title() != "ironworks "+p.Host || len(s.Clipboard()) > 0 || strings.Contains(string(s.Raw()), "pwned\x07") {
			t.Errorf("title %q, clipboard %q", s.Title(), s.Clipboard())
		}
		s.quits()
	})
}
