package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition"
	"ironworks/ui/cell"
	"ironworks/ui/screen/screentest"
)

// click clicks on the first occurrence of text on the screen.
func (r *rig) click(text string) {
	r.t.Helper()
	for y, line := range strings.Split(r.text(), "\n") {
		if at := strings.Index(line, text); at >= 0 {
			r.clickAt(cell.Width(line[:at]), y)
			return
		}
	}
	r.t.Fatalf("%q is not on the screen:\n%s", text, r.text())
}

func (r *rig) clickAt(x, y int) {
	r.deliver(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	r.settle()
}

func (r *rig) wheel(button tea.MouseButton) {
	r.deliver(tea.MouseWheelMsg{Button: button})
	r.settle()
}

func TestClickSelectsAndOpens(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 50}} { // the larger size has a rule below the header
		inBubble(t, rack(), nil, func(r *rig) {
			r.resize(size[0], size[1])
			r.click("   r7-n05")
			if got := r.cursor(); got != "r7-n05" {
				t.Fatalf("the cursor is at %s", got)
			}
			r.shows("› fleet")
			r.click("❯  r7-n05")
			r.shows("› r7-n05", "[Overview]")
			r.click("Raw")
			r.shows("[Raw]", "automated_clean")
			r.click(" Timeline")
			r.shows("[Timeline]")
			r.press("esc")
			r.shows("› fleet")
			r.deliver(tea.MouseClickMsg{X: 5, Y: 6, Button: tea.MouseRight})
			if r.cursor() != "r7-n05" {
				t.Error("the right button selects")
			}
		})
	}
}

func TestClickOnATitleSorts(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.click("NAME")
		r.shows("NAME▴")
		r.click("NAME")
		r.shows("NAME▾")
		r.click("STATE")
		r.shows("STATE▴")
	})
}

func TestClickInAMenu(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.press(":")
		r.write("conductors")
		r.clickAt(0, 0)
		r.clickAt(0, 20) // a cell outside the dialog
		r.shows("› fleet")
		r.click("show conductors")
		r.shows("› conductors & drivers", "[Conductors]")
		r.click("Hardware types")
		r.shows("[Hardware types]")
		// A click on a disabled item shows the reason, and the menu stays open.
		r.press("1")
		r.choose("r7-n04")
		r.press("a")
		r.write("shell")
		r.click("shell  ")
		r.shows("shell: not possible in this session")
		r.press("esc")
		// The wheel moves the cursor of a menu.
		r.press("a")
		before := r.text()
		r.wheel(tea.MouseWheelDown)
		if r.text() == before {
			t.Error("the wheel moves nothing in a menu")
		}
		r.wheel(tea.MouseWheelUp)
		r.wheel(tea.MouseWheelLeft)
		if r.text() != before {
			t.Errorf("the wheel does not return:\n%s", r.text())
		}
		r.sent()
	})
}

func TestClickInAForm(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.press("n")
		r.click("Driver")
		r.shows("❯ Driver")
		r.click("Driver")
		r.write("-2")
		r.click("Credentials") // leaving the field keeps its text
		r.shows("❯ Credentials", "  -2")
		r.click("No inspection")
		r.click("No inspection")
		r.shows("[x] yes")
		r.click("[Form]")
		r.click("Nodes")
		r.shows("[Nodes]")
	})
}

// TestClickAnywhere clicks on every ninth cell of each line of every screen, and checks that nothing is sent and
// nothing crashes.
func TestClickAnywhere(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.someTasks()
		sent := len(r.audit.records)
		for _, place := range [][]string{{"1"}, {"2"}, {"3"}, {"4"}, {"5"}, {"6"}, {"7"}, {"1", "enter"}, {"1", "?"}, {"1", ":"}, {"1", "d"}} {
			r.press("esc", "esc", "esc")
			r.press(place...)
			for y := range r.c.height {
				for x := y % 3; x < r.c.width; x += 9 {
					r.clickAt(x, y)
				}
			}
			screentest.Check(t, r.c.View().Content, r.c.width, r.c.height)
		}
		if n := len(r.audit.records); r.quit || r.c.crash != nil || n != sent {
			t.Errorf("%d requests; ended: %v %v", n-sent, r.quit, r.c.crash)
		}
	})
}

// TestPathTypedAheadIsApplied checks that tab and enter take effect even if they are pressed before the folder of the
// typed path has been read.
func TestPathTypedAheadIsApplied(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	inBubble(t, rack(), nil, func(r *rig) {
		r.press("6")
		r.click("CA file")
		r.press("enter")
		r.deliver(tea.PasteMsg{Content: strings.TrimSuffix(file, "a.pem")})
		r.deliver(keyMsg("tab"))
		r.deliver(keyMsg("enter"))
		r.settle()
		if got := r.c.env.Bench.Values[string(ignition.FieldCA)]; got != file {
			t.Errorf("the form has %q, want %q", got, file)
		}
	})
}
