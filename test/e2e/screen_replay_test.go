package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ironworks/models"
	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// countingServer starts a server that takes Ironic's place and counts the requests.
func countingServer(t *testing.T) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// TestScreenReplay exports a deployment that a command has recorded, and replays it in a console that must not send
// any request.
func TestScreenReplay(t *testing.T) {
	t.Parallel()
	inTheNewest(t, func(t *testing.T, server *ironic.Server) {
		c := consoleAt(t, server)
		name, uuid, m := redfishNode(t, server, "ok")
		watching := c.watch(name, "-o", "json")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		c.ok("deploy", name, "--yes", "--wait", "--timeout", "6m", "--override", "inventory", "--confirm", name,
			"--root-device", `{"serial": "`+m.Disks()[0].Serial+`"}`)
		watching.untilState(uuid, models.StateActive)
		watching.stop()
		file := filepath.Join(c.home, "n.ironworks")
		c.ok("journal", "export", name, "--file", file)
		if out := c.failsWithOutput(3, "journal", "export", name, "--file", file); !strings.Contains(out, "pass --force to replace the file") {
			t.Errorf("second export: %q", out)
		}
		c.fails(1, "journal", "export", "no-such-node")

		unasked, asked := countingServer(t)
		s := c.screen(size{80, 24}, "replay", file, "--url", unasked, "--paused")
		s.until("REPLAY", name, "paused")
		s.press("}", "}", "}", "}", "}", "}", "}", "}", "}", "}")
		s.until("ended", "● active")
		s.press(terminal.Enter, terminal.Tab)
		s.until("[Timeline]", "Deployment done in", "install_coreos")
		s.press("(", "(")
		s.until("REPLAY", "paused")
		s.press("D")
		s.until("not available while a recording plays")
		s.quits()
		if n := asked.Load(); n != 0 {
			t.Errorf("%d requests sent during the replay", n)
		}
	})
}

// TestScreenReplayInTheLab replays what a console has recorded in the lab, including the log.
func TestScreenReplayInTheLab(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	state := filepath.Join(c.home, "lab")
	s := c.screen(size{80, 24}, "--lab", "--lab-speed", "8", "--lab-state", state, "--lab-ssh-port", fmt.Sprint(freePort(t)))
	s.until("r7-n07")
	s.filterFor("r7-n07")
	s.press(terminal.Enter, "L")
	s.until("[Log]", "Executing deploy step")
	s.until("● active")
	// The node's screen polls the node itself, but the journal records only what the list has received.
	s.press(terminal.ShiftTab, terminal.Esc)
	s.until("NAME", "● active")
	s.quits()
	file := filepath.Join(c.home, "n.ironworks")
	c.ok("journal", "export", "r7-n07", "--journal", filepath.Join(state, "journal-lab.db"), "--file", file)

	if out := c.ok("logs", "r7-n07", "--kept", "--journal", filepath.Join(state, "journal-lab.db")).stdout; !strings.Contains(out, "Install complete.") {
		t.Errorf("recorded log:\n%s", out)
	}

	s = c.screen(roomy, "replay", file, "--speed", "20")
	s.until("REPLAY", "r7-n07", "ended", "● active")
	s.press("L")
	s.until("[Log]", "Install complete.")
	s.press(".")
	s.gone("Install complete.")
	s.until("Install complete.", "ended")
	s.quits()
}

// freePort returns a TCP port on 127.0.0.1 that nothing listens on.
func freePort(t *testing.T) int {
	t.Helper()
	var listen net.ListenConfig
	listener, err := listen.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // only its port is used
	return listener.Addr().(*net.TCPAddr).Port
}
