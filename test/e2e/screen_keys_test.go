package e2e

import (
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// TestScreenBoundKeys checks that keys can be bound in the configuration file, and that they work in the lab's
// console, too.
func TestScreenBoundKeys(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		name, _ := screenNode(t, server, "bound")
		c := configured(t, `keys:
  help: f1
  events: [f2, f5]
  explain: Z
  maintenance-on: []
  manage: W
contexts:
  here: {url: '`+server.URL+`'}
`)
		s := c.fleet(roomy)
		s.filterFor(name)
		s.until("f1 keys", "Z explain")
		s.press("m", "?")
		s.press("e", terminal.F2)
		s.until("› events")
		s.press("1", terminal.F1)
		s.until("╭─ "+helpTitle, "W", "manage")
		s.press("events")
		s.until("f2 f5")
		s.press(terminal.Esc)
		s.gone("╭─")
		s.press("W")
		s.until("manage " + name + ": done")
		s.quits()
	})
}

// TestScreenRefusesKeys checks that the console does not start if keys are bound wrongly, and says where the mistake
// is and how to correct it.
func TestScreenRefusesKeys(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ keys, want string }{
		"conflict":       {"  wide: f5\n  manage: f5\n", `config.yaml:3:3: keys.manage: the key "f5" already runs wide (filter and columns) (choose another key, or bind wide to another key, or to [] for none)`},
		"unknown action": {"  mangae: f5\n", `config.yaml:2:3: keys.mangae: unknown action "mangae" (did you mean manage?)`},
		"unknown key":    {"  manage: Ctrl-T\n", `config.yaml:2:3: keys.manage: unknown key "Ctrl-T" (did you mean ctrl+t?)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := configured(t, "keys:\n"+test.keys+"contexts:\n  here: {url: 'http://"+closedAddress+"'}\n")
			for _, args := range [][]string{nil, {"--lab"}} {
				s := c.screen(size{200, 50}, args...)
				s.ends(2)
				if text := strings.Join(strings.Fields(s.Text()), ""); !strings.Contains(text, strings.ReplaceAll(test.want, " ", "")) {
					t.Errorf("%q: %q is not in\n%s", args, test.want, text)
				}
			}
		})
	}
}
