package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// configured returns a console whose configuration file has the given content.
func configured(t *testing.T, file string) *console {
	t.Helper()
	c := newConsole(t)
	path := filepath.Join(c.home, ".config/ironworks/config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

// closedAddress is an address without a listener. A port that the test frees itself would not do, because another
// test may already use it.
const closedAddress = "127.0.0.1:1"

func TestScreenContexts(t *testing.T) {
	t.Parallel()
	eachStorm(t, testScreenContexts)
}

func testScreenContexts(t *testing.T, server *ironic.Server) {
	t.Parallel()
	name, _ := screenNode(t, server, "ctx")
	c := configured(t, `context: here
contexts:
  here: {url: '`+server.URL+`', accent: '#ff0000'}
  there: {url: '`+server.URL+`', accent: '#00ff00', read_only: true}
  wrong-port: {url: 'http://`+closedAddress+`'}
  broken: {cloud: no-such-cloud}
`)
	s := c.fleet(roomy)
	accent := func(name string) (r, g uint32) {
		x, y, ok := s.Find(name)
		if !ok || y != 0 || s.Cell(x, 0).Foreground == nil {
			t.Fatalf("no color at %s in the header:\n%s", name, s.Describe())
		}
		r, g, _, _ = s.Cell(x, 0).Foreground.RGBA()
		return r, g
	}
	if r, g := accent("here"); r < 0xf000 || g > 0x1000 {
		t.Errorf("the accent of here is %x %x", r, g)
	}
	s.filterFor(name)
	s.press("4")
	s.until("› connect", "4 contexts", "● connected", "✖ unusable", "○ not open", "wrong-port")

	// The unusable context shows why it is unusable, and cannot be opened.
	to := func(name string) {
		t.Helper()
		s.press(terminal.Home, strings.Repeat(terminal.Down, map[string]int{"broken": 0, "here": 1, "there": 2}[name]))
		s.when("the cursor at "+name, func() bool { return strings.HasPrefix(s.row(name), "❯") })
	}
	to("broken")
	s.until("broken is unusable:", "no-such-cloud")
	s.press(terminal.Enter)
	s.until("open: unusable: ")
	to("there")
	s.until("enter: switch to there")
	s.press(terminal.Enter)
	s.until(" there [read-only] › fleet", "updated ≤", name)
	if r, g := accent("there"); r > 0x1000 || g < 0xf000 {
		t.Errorf("the accent of there is %x %x", r, g)
	}
	// The palette switches to a context by name. Nothing listens at this context's address.
	s.pick(":", paletteTitle, "context wrong-port")
	s.until(" wrong-port", "› connect", "connection refused by "+closedAddress, "retry in", "✖ unreachable", "ctrl+r retries now")
	s.pick(":", paletteTitle, "context here")
	s.until(" here › fleet", "updated ≤", name)
	// The palette cannot open the unusable context either.
	s.list(":", paletteTitle)
	s.press("context broken")
	s.until("unusable (4 shows details): ")
	s.press(terminal.Enter, terminal.Esc)
	s.gone("╭─")
	s.until(" here › fleet")
	s.quits()
}

// TestScreenConnectsWhenIronicIsReachable starts the console before Ironic is reachable, and checks that it connects
// later.
func TestScreenConnectsWhenIronicIsReachable(t *testing.T) {
	t.Parallel()
	eachStorm(t, testScreenConnectsWhenIronicIsReachable)
}

func testScreenConnectsWhenIronicIsReachable(t *testing.T, server *ironic.Server) {
	t.Parallel()
	name, _ := screenNode(t, server, "late")
	c, p := behindProxy(t, server)
	p.Down()
	s := c.screen(roomy)
	s.until("› connect", "connection refused by "+p.Host, "retry in", "never connected", "ctrl+r retries now")
	s.press("1")
	s.until("› fleet", "connection refused by "+p.Host, "(4: details)")
	s.press("4")
	s.until("› connect")
	if err := p.Up(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.press(terminal.CtrlR)
	s.until("› fleet", "updated ≤", "enroll")
	s.filterFor(name)
	s.quits()

	// Even without a key press, the console connects when a retry succeeds.
	p.Down()
	s = c.screen(size{80, 24})
	s.until("› connect", "connection refused")
	if err := p.Up(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.until("› fleet", "updated ≤", "enroll")
	s.quits()
}

// TestScreenNoContext checks what the console shows when no context can be opened.
func TestScreenNoContext(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file string
		says       []string
	}{
		{"two contexts, no current one", "contexts:\n  a: {url: 'http://127.0.0.1:1'}\n  b: {url: 'http://127.0.0.1:1'}\n", []string{"› connect", "2 contexts", "no connection"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := configured(t, test.file).screen(roomy)
			s.until(test.says...)
			s.press("1")
			s.until("No context is open; 4 shows why")
			for _, key := range []string{"M", "U", "a", " ", "*", "y", "/", "s", "w", "\x0f", terminal.CtrlR, "2", "3", "5", "1"} {
				s.press(key)
			}
			s.press(terminal.Esc)
			s.gone("enter save")
			s.list("?", helpTitle)
			s.press(terminal.Esc)
			s.gone(helpTitle)
			s.list(":", paletteTitle)
			s.press(terminal.Esc)
			s.gone(paletteTitle)
			s.press("4")
			s.until("› connect")
			s.quits()
		})
	}
	// A mistake in the current context is printed before the console starts.
	t.Run("the current one is broken", func(t *testing.T) {
		t.Parallel()
		s := configured(t, "context: a\ncontexts:\n  a: {cloud: nowhere}\n").screen(roomy)
		s.ends(2)
		if text := strings.ReplaceAll(s.Text(), "\n", ""); !strings.Contains(text, "config.yaml:3:14") || !strings.Contains(text, "nowhere") {
			t.Error(s.Describe())
		}
	})
	t.Run("no URL", func(t *testing.T) {
		t.Parallel()
		s := newConsole(t, "IRONWORKS_URL=gopher://127.0.0.1").screen(roomy)
		s.ends(2)
		if !s.Contains("IRONWORKS_URL") || !s.Contains("gopher") {
			t.Error(s.Describe())
		}
	})
}
