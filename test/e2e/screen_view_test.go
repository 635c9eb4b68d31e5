package e2e

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// TestScreenViewSurvivesARestart ends the console right after keys that change the view have been pressed, and checks
// that the next start shows this view.
func TestScreenViewSurvivesARestart(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		group := unique("view")
		for _, n := range []string{"-a", "-b", "-c"} {
			server.CreateNode(t, map[string]any{"name": group + n, "deploy_interface": "fake"})
		}
		c := consoleAt(t, server)
		s := c.fleet(roomy)
		s.filter("name:" + group)
		s.pick("s", "Sort by", "name")
		s.until("NAME▴")
		s.press("g", " ", "z")
		s.until("NAME▾", "1 marked")
		if err := s.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		s.ends(143)
		files, err := filepath.Glob(filepath.Join(c.home, ".local/state/ironworks/view-*.json"))
		if err != nil || len(files) != 1 {
			t.Fatalf("stored: %v, %v", files, err)
		}
		if info, err := os.Stat(files[0]); err != nil || info.Mode() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}

		s = c.fleet(roomy)
		s.until("/ name:"+group+" ", "NAME▾", "1 mark restored", "1 marked · 3 of")
		s.rowSays(group+"-a", " + ")
		s.press("g", terminal.Enter)
		s.until("› "+group+"-c", "[Overview]")
		s.press(terminal.ShiftTab)
		s.until("[Raw]")
		s.quits()

		s = c.screen(roomy)
		s.until("› "+group+"-c", "[Raw]")
		s.press(terminal.Esc)
		s.until("/ name:"+group+" ", "1 marked")
		s.quits()

		s = c.fleet(roomy, "--reset-view")
		s.until("STATE▴")
		s.lacks("marked", "/ name:")
		s.quits()
		s = c.fleet(roomy) // the console starts with the last view
		s.until("STATE▴")
		s.lacks("marked", "/ name:")
		s.quits()

		if err := os.WriteFile(files[0], []byte("{\"filter\": \"\\u001b]0;x\\u0007\"}"), 0o600); err != nil {
			t.Fatal(err)
		}
		s = c.fleet(size{200, 50})
		s.until("STATE▴", "ignored: unprintable text")
		s.quits()
	})
}
