package e2e

import (
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// click clicks on text, which must be on the screen.
func (s *screenConsole) click(text string) {
	s.t.Helper()
	if !s.Click(text) {
		s.t.Fatalf("%q cannot be clicked:\n%s", text, s.Text())
	}
}

// clickInPalette types a text into the palette and clicks on the best match, which must be item. It clicks only after
// the whole text has arrived, because each letter moves the list.
func (s *screenConsole) clickInPalette(text, item string) {
	s.t.Helper()
	s.press(":", text)
	s.when("the palette offers "+item, func() bool {
		typed, best := false, false
		for _, line := range s.Lines() {
			typed = typed || strings.Contains(line, "│   "+text+" ")
			best = best || strings.Contains(line, "│ ❯ ") && strings.Contains(line, item)
		}
		return typed && best
	})
	s.click(item)
}

// TestScreenMouse selects, opens, sorts and chooses using only the mouse.
func TestScreenMouse(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		one, _ := screenNode(t, server, "click")
		two, _ := screenNode(t, server, "click")
		s := consoleAt(t, server).fleet(roomy, "--mouse")
		s.filter("name:" + one + "," + two)
		s.until(one, two)
		s.click("NAME")
		s.until("NAME▴")
		s.click("NAME")
		s.until("NAME▾")
		s.click("   " + two)
		s.until("❯  " + two)
		s.click("❯  " + two)
		s.until("› "+two, "[Overview]")
		s.click(" Network")
		s.until("[Network]")
		s.clickInPalette("events", "show changes since")
		s.until("› events")
		s.clickInPalette("mouse", "turn the mouse on")
		s.until("mouse off")
		if s.Click("Events") {
			t.Error("the console still asks for clicks")
		}
		s.quits()
	})
}

// TestScreenGroupsAndPreview groups nodes and folds a group. It also checks the preview beside the list, which shows
// the node at the cursor.
func TestScreenGroupsAndPreview(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		group := unique("group")
		for name, class := range map[string]string{"-a": "class-blue", "-b": "class-blue", "-c": "class-red"} {
			server.CreateNode(t, map[string]any{"name": group + name, "deploy_interface": "fake", "resource_class": class})
		}
		s := consoleAt(t, server).fleet(size{160, 40})
		s.filter("name:" + group)
		s.pick(":", paletteTitle, "group class")
		s.until("▾ class-blue  2 nodes", "▾ class-red  1 node")
		s.rowSays(group+"-a", "○ enroll")
		s.press("g", terminal.Enter)
		s.until("▸ class-blue  2 nodes")
		if s.rowAt(group+"-a") >= 0 {
			t.Errorf("a folded group shows its nodes:\n%s", s.Describe())
		}
		// A folded group is marked as a whole.
		s.press(" ")
		s.until("class-blue  2 nodes, 2 marked", "2 marked · 3 of")
		s.press("-", "g", terminal.Enter)
		s.until("▾ class-blue  2 nodes")
		s.rowSays(group+"-a", "○ enroll")
		// The preview follows the cursor.
		s.press("j")
		s.until("│ "+group+"-a", "│ class        class-blue")
		s.press("G")
		s.until("│ "+group+"-c", "│ class        class-red")
		s.press("p")
		s.gone("│ " + group)
		s.press("p")
		s.until("│ " + group + "-c")
		s.resize(size{120, 40})
		s.lacks("│ " + group)
		s.pick(":", paletteTitle, "group")
		s.gone("class-red  1 node")
		s.rowSays(group+"-a", "○ enroll")
		s.quits()
	})
}
