package ui

import (
	"slices"
	"strings"
	"testing"
)

// TestLabMark checks that every screen of a lab shows LAB, at every size, and that other screens do not.
func TestLabMark(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.lacks("LAB")
		r.c.env.Session.Context.Lab = true
		r.resize(80, 24)
		for _, key := range []string{"1", "2", "3", "4", "5", "?", ":"} {
			r.press(key)
			for _, size := range [][2]int{{200, 50}, {80, 24}, {40, 10}, {30, 7}, {20, 5}} {
				r.resize(size[0], size[1])
				if !slices.ContainsFunc(strings.Split(r.text(), "\n"), func(line string) bool { return strings.Contains(line, "LAB") }) {
					t.Errorf("after %s at %v:\n%s", key, size, r.text())
				}
			}
		}
		r.press("esc", "esc")
		r.press("1")
		r.golden("lab")
	})
}
