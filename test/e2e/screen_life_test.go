package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// TestScreenLifeByKeysAlone brings a node from enroll to active and back to available with keys, and checks the
// events and tasks that the console shows.
func TestScreenLifeByKeysAlone(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		c := consoleAt(t, server)
		s := c.fleet(roomy)
		name, uuid := screenNode(t, server, "keys")
		s.press(terminal.CtrlR)
		s.filterFor(name)
		s.rowSays(name, "○ enroll")
		s.press(terminal.Enter)
		s.until("› "+name, uuid)

		s.press("M")
		s.until("manage "+name+": done, now manageable", "○ manageable")
		s.press("P")
		s.typed(name, "provide "+name+"?", uuid, "automated cleaning", "every disk may")
		s.until("provide "+name+": done, now available", "○ available")
		s.press("D")
		s.until("╭─ deploy "+name, "User data", "Root device", "Steps")
		s.press(terminal.Enter)
		s.typed(name, "deploy "+name+"? Type the node name to confirm.", "overwrites")
		s.until("deploy "+name+": done, now active", "● active")
		s.press("U")
		s.typed(name, "undeploy "+name+"?", "powers the machine off")
		s.until("undeploy "+name+": done, now available", "○ available")

		s.press("2")
		s.until("› events")
		s.filter("node:" + name)
		chain := []string{"enroll", "manageable", "available", "active", "available"}
		s.when("all resting states of the node", func() bool {
			states, gap := restingStatesShown(s, name)
			return slices.Equal(states, chain) && gap == ""
		})

		s.press("5")
		s.until("› tasks", "4 tasks")
		for _, verb := range []string{"manage", "provide", "deploy", "undeploy"} {
			if !slices.ContainsFunc(s.Lines(), func(line string) bool {
				return regexp.MustCompile(`\d +` + verb + ` +` + name + ` +✓ done`).MatchString(line)
			}) {
				t.Errorf("no task %s that is done:\n%s", verb, s.Describe())
			}
		}
		s.quits()
		// Five requests for four tasks: a deployment also reserves the node.
		if got, want := c.auditResults(), strings.TrimSpace(strings.Repeat("sending accepted ", 5)); got != want {
			t.Errorf("audit: %s, want %s", got, want)
		}
		if state := apiNode(t, server, uuid)["provision_state"]; state != "available" {
			t.Errorf("the node is %v", state)
		}
	})
}

// restingStatesShown reads the events on the screen. It returns the node's stable states in order and, in gap, a state
// change that does not start where the previous one ended.
func restingStatesShown(s *screenConsole, name string) (states []string, gap string) {
	event := regexp.MustCompile(`^.  \d\d:\d\d:\d\d  ` + regexp.QuoteMeta(name) + ` +(.*)$`)
	last := ""
	for _, line := range s.Lines() {
		m := event.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		text, _, _ := strings.Cut(m[1], "  ")
		from, to, moves := strings.Cut(text, " → ")
		if state, added := strings.CutPrefix(text, "added in "); added {
			to, last = state, ""
		} else if !moves || models.ProvisionState(from).Class() == models.ClassUnknown {
			continue
		}
		if last != "" && from != last {
			gap = fmt.Sprintf("%s → %s comes after %s", from, to, last)
		}
		last = to
		if models.ProvisionState(to).Resting() {
			states = append(states, to)
		}
	}
	return states, gap
}

// TestScreenVerbsByName starts verbs from the palette, the help and a node's action list, and checks that impossible
// verbs cannot be picked.
func TestScreenVerbsByName(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		c, p := behindProxy(t, server)
		name, uuid := screenNode(t, server, "named")
		s := c.fleet(roomy)
		s.filterFor(name)
		act := "Act on " + name
		for _, list := range []struct{ key, title string }{{":", paletteTitle}, {"?", helpTitle}, {"a", act}} {
			s.list(list.key, list.title)
			s.press("provide")
			s.until("provide", `not possible in state "enroll"`)
			s.press(terminal.Enter) // the list stays open, because the verb is not possible
			s.press(terminal.CtrlU)
			s.until("╭─ " + list.title)
			s.press(terminal.Esc)
			s.gone("╭─ " + list.title)
		}
		s.press("P")
		s.until(`provide: not possible in state "enroll"`)
		s.press("U")
		s.until(`undeploy: not possible in state "enroll"`)
		if n := p.Count(http.MethodPut); n != 0 {
			t.Errorf("%d requests were sent", n)
		}

		s.pick(":", paletteTitle, "manage")
		s.until("manage " + name + ": done, now manageable")
		s.rowSays(name, "○ manageable")
		s.pick("?", helpTitle, "provide")
		s.typed(name, "provide "+name+"?")
		s.until("provide " + name + ": done, now available")
		s.pick("a", act, "manage")
		s.until("manage " + name + ": done, now manageable")
		// On the node's screen, verbs also work by name. This verb opens a form first.
		s.pick(":", paletteTitle, name)
		s.until("› " + name)
		s.pick(":", paletteTitle, "maintenance-on")
		s.until("╭─ maintenance-on "+name, "Reason")
		s.press("disk swap", terminal.Enter)
		s.answerYes("maintenance on "+name+"?", "ignores heartbeats")
		s.until("▲", "In maintenance", "disk swap")
		if got := apiNode(t, server, uuid)["maintenance_reason"]; got != "disk swap" {
			t.Errorf("the reason is %v", got)
		}
		s.pick("?", helpTitle, "maintenance-off")
		s.answerYes("maintenance off "+name+"?", "disk swap")
		s.until("maintenance off " + name + ": done")
		s.gone("In maintenance")
		if n, want := p.Count(http.MethodPut), 4; n != want {
			t.Errorf("%d requests, want %d: %v", n, want, fmt.Sprint(p.Requests()))
		}
		s.quits()
	})
}

// TestScreenTypedAhead types the input for a list before the list is open, and checks that no letter triggers an
// action of the screen behind it.
func TestScreenTypedAhead(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		c, p := behindProxy(t, server)
		name, uuid := screenNode(t, server, "ahead")
		s := c.fleet(roomy)
		s.filterFor(name)
		s.press(":manage", terminal.Enter)
		s.until("manage " + name + ": done, now manageable")
		s.press("sname", terminal.Enter)
		s.until("NAME▴")
		s.press(":events", terminal.Enter)
		s.until("› events")
		s.press("1?refresh", terminal.Enter)
		s.until("› fleet")
		s.press(terminal.Enter + "M")
		s.until("› "+name, "not possible in state")
		if n := apiNode(t, server, uuid); n["maintenance"] != false || n["provision_state"] != "manageable" || p.Count(http.MethodPut) != 1 {
			t.Errorf("%v, %v, %d requests", n["maintenance"], n["provision_state"], p.Count(http.MethodPut))
		}
		s.quits()
	})
}
