package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ironworks/ignition/image"
	"ironworks/test/fetch"
	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// field moves the cursor to the given field of the Ignition form and replaces its text.
func (s *screenConsole) field(label, text string) {
	s.t.Helper()
	s.press(terminal.Home)
	s.until("❯ Profile")
	for range 40 {
		if s.Contains("❯ " + label + " ") {
			break
		}
		at := s.cursorLine()
		s.press(terminal.Down)
		s.when("the cursor moves on", func() bool { return s.cursorLine() != at })
	}
	s.press(terminal.Enter)
	s.until("enter save")
	s.press(terminal.CtrlU, text, terminal.Enter)
	s.gone("enter save")
	s.until(text)
}

// cursorLine returns the line that contains the cursor.
func (s *screenConsole) cursorLine() string {
	for _, line := range s.Lines() {
		if strings.Contains(line, "❯ ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// TestScreenBuildsAndServesARamdisk builds a configuration with a key file on the Ignition screen, saves it and
// embeds it in an ISO. It then serves the ISO to a node and sets the node's deploy_iso to the ISO's URL. The screen
// has 80×24 cells.
func TestScreenBuildsAndServesARamdisk(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		names, _ := enrollUnconfigured(t, s, 1)
		c.file("live.iso", plainLiveISO(t))
		c.file("operator.pub", []byte(operatorKey+"\n"))
		home := func(name string) string { return filepath.Join(c.home, name) }

		screen := c.fleet(size{80, 24})
		screen.filter("name:=" + names[0])
		screen.until(" 1 of ") // its row may have no room for the whole name
		screen.press("6")
		screen.until("› ignition", "❯ Profile")
		screen.field("Key files", "~/operator.pub")
		screen.press(terminal.Tab)
		screen.until("operator@desk", "embed area of a live image")

		screen.press(terminal.CtrlS)
		screen.until("Save as Ignition")
		screen.press(terminal.CtrlU, "~/ramdisk.ign", terminal.Enter)
		screen.until("saved")
		saved, err := os.ReadFile(home("ramdisk.ign"))
		if err != nil || !json.Valid(saved) || !bytes.Contains(saved, []byte(operatorKey[:60])) {
			t.Errorf("saved %s, %v", saved, err)
		}

		screen.press("i")
		screen.until("Embed in an ISO")
		screen.press(terminal.CtrlU, "~/live.iso", terminal.Down, "~/agent.iso", terminal.Enter)
		screen.answerYes("Write a copy to", "no configuration")
		screen.until("✓ embedded in", "of the embed area used")
		if got := embeddedIn(t, home("agent.iso")); got != strings.TrimSpace(string(saved)) {
			t.Errorf("embedded %s", got)
		}

		screen.press("@")
		screen.until("╭─ Serve", names[0])
		screen.press(terminal.Down, "~/live.iso")
		screen.until("~/live.iso")
		screen.press(terminal.Down, terminal.Down, terminal.Down, terminal.Down, terminal.Down, terminal.Right)
		screen.until("[x] yes")
		screen.press(terminal.Enter)
		screen.until("serving at 127.0.0.1:", names[0]+".iso", "no requests yet")
		url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/\S+?\.iso`).FindString(strings.Join(screen.Lines(), "")) // the URL may be wrapped
		checkHostname(t, fetch.Content(t, url), names[0])
		screen.until("fetched " + names[0] + ".iso")

		screen.press("E")
		screen.until("Set the ramdisk of nodes", "served here")
		screen.press(terminal.Enter)
		screen.answerYes("PATCH /v1/nodes/", "baremetal node set", "Send 1 request?")
		screen.until("ignition apply " + names[0] + ": done")
		if info := driverInfo(t, s, names[0]); info["deploy_iso"] != url {
			t.Errorf("deploy_iso %v, served %s", info["deploy_iso"], url)
		}
		screen.press("x")
		screen.until("Serving stopped")
	})
}

func embeddedIn(t *testing.T, path string) string {
	t.Helper()
	iso, err := image.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = iso.Close() }()
	config, err := iso.Ignition()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(config))
}

// TestTheConsoleOpensAFile opens a file with a mistake, and then corrects the file on disk. The screen must show the
// mistake and notice the correction.
func TestTheConsoleOpensAFile(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		const right = "variant: fcos\nversion: 1.5.0\npasswd:\n  users:\n    - name: core\n      ssh_authorized_keys: [\"" + operatorKey + "\"]\n"
		path := filepath.Join(c.home, "worker.bu")
		c.file("worker.bu", []byte(right+"storrage: {}\n"))
		screen := c.screen(size{80, 24}, path)
		screen.until("› ignition", ", invalid", "line 7, column 1", "storrage: {}")
		c.file("worker.bu", []byte(right))
		screen.until(", valid", "operator@desk")
		screen.press(terminal.Esc)
		screen.until("› fleet")
		if o := c.fails(2, "no-such-command"); !strings.Contains(o.stderr, "unknown command") {
			t.Errorf("%s", o.stderr)
		}
		if o := c.fails(2, "nowhere.bu"); !strings.Contains(o.stderr, "no such file") {
			t.Errorf("%s", o.stderr)
		}
	})
}

// TestScreenCompletesPaths completes a path with the tab key, and recalls it with the up key in the next dialog.
func TestScreenCompletesPaths(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		for _, name := range []string{"user data/rack7-gpu.ign", "user data/rack7-plain.ign", "user data/notes.txt"} {
			if err := os.MkdirAll(filepath.Join(c.home, "user data"), 0o700); err != nil {
				t.Fatal(err)
			}
			c.file(name, []byte(`{"ignition": {"version": "3.4.0"}}`))
		}
		screen := c.fleet(size{80, 24})
		screen.press("6")
		screen.until("› ignition", "❯ Profile")
		screen.pick(":", paletteTitle, "ignition-check")
		screen.until("Check")
		// The keys are typed before the folders have been read.
		screen.press("~/u", terminal.Tab, "r", terminal.Tab, "p", terminal.Tab)
		screen.until("~/user data/rack7-plain.ign")
		screen.press(terminal.Enter)
		screen.until("rack7-plain", "[File]", "ignition, valid")
		screen.pick(":", paletteTitle, "ignition-check")
		screen.press(terminal.Up)
		screen.until("File*  ~/user data/rack7-plain.ign")
		screen.press(terminal.CtrlU, "~/user data/n", terminal.Tab, terminal.Enter)
		screen.until("notes.txt")
		screen.quits()
	})
}
