package filter

import (
	"testing"

	"ironworks/models"
)

func TestEventFilter(t *testing.T) {
	t.Parallel()
	e := models.Event{
		Node: models.NodeRef{UUID: "5a1c-77", Name: "R7-n01"}, Kind: models.EventProvisionState,
		From: "deploying", To: "deploy failed", Reason: "No suitable device: none",
	}
	for line, want := range map[string]bool{
		"":                         true,
		"n01":                      true,
		"N02":                      false,
		"suitable":                 true,
		`"device: none"`:           true,
		"node:r7":                  true,
		"node:5A1C":                true,
		"node:=r7":                 false,
		"node:=r7-n01":             true,
		"node:x,n01":               true,
		"kind:provision":           true,
		"kind:power":               false,
		"!kind:power node:n01":     true,
		"!node:n01":                false,
		"~r01":                     true,
		"~10r":                     false,
		"failed !kind:maintenance": true,
	} {
		f, err := ParseEventFilter(line)
		if err != nil {
			t.Errorf("%q: %v", line, err)
		} else if got := f.Match(&e, e.Text()); got != want {
			t.Errorf("%q matches: %v", line, got)
		}
	}
	for _, line := range []string{`"open`, "state:active", "!", "~"} {
		if _, err := ParseEventFilter(line); err == nil {
			t.Errorf("%q was understood", line)
		}
	}
	if f, _ := ParseEventFilter(" n1 "); f.String() != "n1" || f.IsZero() {
		t.Errorf("%q, zero %v", f.String(), f.IsZero())
	}
}
