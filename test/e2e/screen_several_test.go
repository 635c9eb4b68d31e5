package e2e

import (
	"net/http"
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
	"ironworks/test/weather"
)

// states returns the nodes' provision states, read from Ironic's API and joined by spaces.
func states(t *testing.T, server *ironic.Server, nodes ...string) string {
	t.Helper()
	var all []string
	for _, n := range nodes {
		all = append(all, apiNode(t, server, n)["provision_state"].(string))
	}
	return strings.Join(all, " ")
}

func TestScreenSeveralNodes(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		group := unique("group")
		var nodes []string
		for _, n := range []string{"a", "b", "c", "d"} {
			name := group + "-" + n
			server.CreateNode(t, map[string]any{"name": name, "deploy_interface": "fake"})
			nodes = append(nodes, name)
		}
		c, p := behindProxy(t, server)
		s := c.fleet(roomy)
		s.filter("name:" + group + "-")
		s.rowSays(nodes[3], "enroll")
		s.press(terminal.Home, " ", " ", " ") // each space moves the cursor down
		s.until("3 marked")
		s.press("M")
		s.until("manage: 3 done")
		if got := states(t, server, nodes...); got != "manageable manageable manageable enroll" {
			t.Fatalf("after manage: %s", got)
		}

		// For a verb that may erase disks, the number of nodes must be typed. Otherwise, nothing is sent.
		puts := p.Count(http.MethodPut)
		for _, wrong := range []string{"", "2", "4", "yes", "03", "3 nodes"} {
			s.press("P")
			s.until("provide 3 nodes? Type the number of nodes to confirm.", nodes[0], nodes[2], "Type 3 "+takesTo)
			s.press(wrong, terminal.Enter)
			s.until("No match.")
			s.press("y", terminal.Enter)
			s.until("No match.")
			s.press(terminal.Esc)
			s.gone("provide 3 nodes?")
		}
		s.press("P")
		s.until("Type 3 " + takesTo)
		s.press(terminal.Esc)
		s.gone("provide 3 nodes?")
		if n := p.Count(http.MethodPut); n != puts {
			t.Errorf("%d requests were sent", n-puts)
		}
		if got := states(t, server, nodes...); got != "manageable manageable manageable enroll" {
			t.Errorf("without confirmation: %s", got)
		}
		// A node that cannot be provided is skipped and listed with the reason.
		s.press("*")
		s.until("4 marked")
		s.press("P")
		s.until("Skipped", nodes[3], `not possible in state "enroll"`, "Type 3 "+takesTo)
		s.press("3", terminal.Enter)
		s.until("provide: 1 refused, 3 done")
		if got := states(t, server, nodes...); got != "available available available enroll" {
			t.Errorf("after provide: %s", got)
		}
		s.press("-")
		s.gone("marked")
		s.quits()
	})
}

// putsTo counts the PUT requests whose path contains the node's UUID.
func putsTo(p *weather.Proxy, uuid string) int {
	n := 0
	for _, r := range p.Requests() {
		if r.Method == http.MethodPut && strings.Contains(r.Path, uuid) {
			n++
		}
	}
	return n
}

func TestScreenOneOfSeveralFails(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		good, goodID := screenNode(t, server, "redfine")
		bad, badID, m := redfishNode(t, server, "ok")
		consoleAt(t, server).ok("set", bad, "driver_info.redfish_password=wrong")
		c, p := behindProxy(t, server)
		s := c.fleet(roomy)
		s.filter("name:=" + good + "," + bad)
		s.rowSays(bad, "enroll")
		s.press("*")
		s.until("2 marked")
		s.press("M")
		s.until("manage: 1 failed, 1 done", "(5 shows task 1 and the reasons)")
		s.rowSays(bad, "enroll")
		s.press("5")
		s.until("✖ 1 failed, 1 done")
		s.press(terminal.Enter)
		s.until("› task 1 manage")
		s.rowSays(good, "✓ done", "manageable")
		s.rowSays(bad, "✖ failed", "Failed to get power state")
		s.press(terminal.Down) // shows the whole reason
		s.until("Redfish exception", "request req-")

		// The retry covers only the failed node, now with the right password.
		password, _ := m.DriverInfo()["redfish_password"].(string)
		consoleAt(t, server).ok("set", bad, "driver_info.redfish_password="+password)
		s.press("r")
		s.until("› task 2 manage")
		s.rowSays(bad, "✓ done", "manageable")
		if s.rowAt(good) >= 0 {
			t.Errorf("the successful node is retried, too:\n%s", s.Describe())
		}
		if g, b := putsTo(p, goodID), putsTo(p, badID); g != 1 || b != 2 {
			t.Errorf("sent %d times for the good one, %d for the bad one", g, b)
		}
		s.press("r")
		s.until("retry-failed: ")
		s.quits()
	})
}

func TestScreenReadOnly(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		name, _ := screenNode(t, server, "look")
		refused := func(t *testing.T, s *screenConsole, why string) {
			t.Helper()
			for _, verb := range []struct{ key, word string }{{"M", "manage"}, {"U", "undeploy"}, {"m", "maintenance-on"}, {"R", "power-reboot"}} {
				s.press(verb.key)
				s.until(verb.word + ": " + why)
			}
			s.list("a", "Act on "+name)
			s.press("manage")
			s.until(why[:8])
			s.press(terminal.Enter, terminal.Esc)
			s.gone("╭─ Act on")
		}
		t.Run("by a key", func(t *testing.T) {
			c, p := behindProxy(t, server)
			s := c.fleet(roomy)
			s.filterFor(name)
			s.press("\x0f") // Ctrl-O
			s.until("[read-only]", "read-only mode on")
			refused(t, s, "read-only mode; ctrl+o turns it off")
			if n := p.Count("") - p.Count(http.MethodGet); n != 0 {
				t.Errorf("%d requests other than GET", n)
			}
			s.press("\x0f")
			s.gone("[read-only]")
			s.until("read-only mode off")
			s.press("M")
			s.until("manage " + name + ": done")
			s.quits()
		})
		t.Run("by a flag", func(t *testing.T) {
			c, p := behindProxy(t, server)
			s := c.fleet(roomy, "--read-only")
			s.filterFor(name)
			s.until("[read-only]")
			refused(t, s, "read-only mode; ctrl+o turns it off")
			if n := p.Count("") - p.Count(http.MethodGet); n != 0 {
				t.Errorf("%d requests other than GET", n)
			}
			s.quits()
		})
		t.Run("by the configuration", func(t *testing.T) {
			c := configured(t, "context: looked-at\ncontexts:\n  looked-at: {url: '"+server.URL+"', read_only: true}\n")
			s := c.fleet(roomy)
			s.filterFor(name)
			s.until("[read-only]", "looked-at")
			refused(t, s, "context looked-at is configured read-only")
			s.press("\x0f")
			s.until("read-only: context looked-at is configured read-only; --read-only=false overrides it", "[read-only]")
			s.quits()

			s = c.fleet(roomy, "--read-only=false")
			s.lacks("[read-only]")
			s.filterFor(name)
			s.press("m")
			s.until("╭─ maintenance-on " + name)
			s.press(terminal.Esc)
			s.gone("╭─")
			s.quits()
		})
		if state := states(t, server, name); state != "manageable" {
			t.Errorf("the node is %s", state)
		}
	})
}

// TestScreenTaskWhileItRuns covers a task in which one node has failed while the request for another one is held.
// Meanwhile, the failure is shown and retried, and the node that hangs is canceled.
func TestScreenTaskWhileItRuns(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		good, _ := screenNode(t, server, "task")
		bad, badID := screenNode(t, server, "task")
		slow, slowID := screenNode(t, server, "task")
		c, p := behindProxy(t, server)
		held := make(chan struct{})
		p.Set(
			weather.On(weather.Both(weather.Method(http.MethodPut), weather.Path(badID)), weather.Ironic(http.StatusBadRequest, "not today")).Times(1),
			weather.On(weather.Both(weather.Method(http.MethodPut), weather.Path(slowID)), weather.Held(held, false)).Times(1),
		)
		s := c.fleet(roomy)
		s.filter("name:=" + good + "," + bad + "," + slow)
		s.rowSays(slow, "enroll")
		s.press("*")
		s.until("3 marked")
		s.press("M")
		<-held
		s.press("5")
		s.until("1 running", "running 2/3, 1 failed")
		if title := s.Title(); !strings.Contains(title, "1 task") {
			t.Errorf("the window's title is %q", title)
		}
		s.press(terminal.Enter)
		s.until("› task 1 manage")
		s.rowSays(good, "✓ done", "manageable")
		s.rowSays(bad, "✖ failed", "not today")
		// The retry is a second task.
		s.press("r")
		s.until("› task 2 manage")
		s.rowSays(bad, "✓ done", "manageable")
		s.press("5", terminal.Down, terminal.Enter)
		s.until("› task 1 manage")
		for range 3 {
			if strings.Contains(s.row(slow), "❯") {
				break
			}
			s.press(terminal.Down)
		}
		s.press("x")
		s.rowSays(slow, "? unknown", "interrupted")
		s.until("unknown whether Ironic received the request")
		s.press("5")
		s.until("› tasks")
		s.gone("running")
		if got := states(t, server, good, bad); got != "manageable manageable" {
			t.Errorf("states: %s", got)
		}
		s.quits()
	})
}

// TestScreenBringUp takes two nodes from enroll to available in one task. The node whose BMC refuses the password
// stops at the first step and shows the reason; with the right password, the retry continues there.
func TestScreenBringUp(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		good, goodID := screenNode(t, server, "bring")
		bad, badID, m := redfishNode(t, server, "ok")
		c := consoleAt(t, server)
		c.ok("set", bad, "driver_info.redfish_password=wrong")
		s := c.fleet(roomy)
		s.filter("name:=" + good + "," + bad)
		s.rowSays(bad, "enroll")
		s.press("*")
		s.until("2 marked")
		s.pick("a", "Act on 2 marked nodes", "make-available")
		s.until("Type 2 " + takesTo)
		s.press("2", terminal.Enter)
		s.until("bring up: 1 failed, 1 done")
		if got := states(t, server, goodID, badID); got != "available enroll" {
			t.Errorf("states: %s", got)
		}
		s.press("5", terminal.Enter)
		s.rowSays(good, "✓ done", "available")
		s.rowSays(bad, "✖ failed", "Failed to get power state")
		password, _ := m.DriverInfo()["redfish_password"].(string)
		c.ok("set", bad, "driver_info.redfish_password="+password)
		s.press("r")
		s.until("bring up "+bad+" again?", "Type "+bad+" "+takesTo)
		s.press(bad, terminal.Enter)
		s.until("› task 2 bring up")
		s.rowSays(bad, "✓ done", "available")
		s.quits()
	})
}
