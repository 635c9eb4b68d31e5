package ui

import (
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
)

// TestExplainKey checks that e opens the Explain screen from every screen that has a node at the cursor.
func TestExplainKey(t *testing.T) {
	for name, tt := range map[string]struct {
		from func(r *rig)
		want string
	}{
		"fleet":   {func(r *rig) { r.choose("r7-n02"); r.press("e") }, "r7-n02"},
		"node":    {func(r *rig) { r.choose("r7-n02"); r.press("enter", "e") }, "r7-n02"},
		"log":     {func(r *rig) { r.choose("r7-n02"); r.press("L", "e") }, "r7-n02"},
		"palette": {func(r *rig) { r.choose("r7-n02"); r.press(":"); r.write("explain"); r.press("enter") }, "r7-n02"},
		"watch":   {func(r *rig) { r.choose("r7-n01"); r.press("space", "7"); r.pass(time.Second); r.press("e") }, "r7-n01"},
		"events":  {func(r *rig) { r.someEvents(); r.press("2", "e") }, "explain"},
		"task":    {func(r *rig) { r.someTasks(); r.press("5", "enter", "e") }, "explain"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, rack(), nil, func(r *rig) {
				tt.from(r)
				r.pass(time.Second)
				if kind := r.c.history.front().Ref().Kind; kind != screen.KindExplain {
					t.Fatalf("in front is %s:\n%s", kind, r.text())
				}
				r.shows(tt.want, " next ", "source")
				r.press("esc")
				if kind := r.c.history.front().Ref().Kind; kind == screen.KindExplain {
					t.Error("esc stays")
				}
			})
		})
	}
}

// TestExplainIgnoresMarks checks that e explains the node at the cursor, not the marked nodes.
func TestExplainIgnoresMarks(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n05")
		r.press("space")
		r.choose("r7-n06")
		r.press("space")
		r.choose("r7-n02")
		r.press("e")
		r.shows("explain r7-n02")
		r.press("esc")
		r.choose("r7-n05")
		r.press("e")
		r.shows("explain r7-n05", "No problem found")
	})
}

// TestExplainActs checks that the action suggested on the Explain screen asks for the usual confirmation.
func TestExplainActs(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n06")
		r.press("e")
		r.shows("fan 3 is being replaced", "enter  maintenance-off")
		r.press("enter")
		r.shows("maintenance off r7-n06?", "Ironic acts on the node again; the maintenance reason was:")
		r.answer("y")
		r.pass(2 * time.Second)
		r.shows("No problem found")
		r.press("1")
		r.choose("r7-n02")
		r.press("e", "enter")
		r.shows("[Disks]")
		r.press("esc", "M", "ctrl+o")
		r.c.history.front().Update(screen.Reload{})
		if a, _ := action.Find(action.Verb(models.VerbManage)); r.c.disabledReason(a) == "" {
			t.Error("read-only allows it")
		}
		r.press("e")
		r.shows("already shown")
	})
}

func TestExplainSaysWhyItIsDisabled(t *testing.T) {
	inBubble(t, nil, nil, func(r *rig) {
		r.press("e")
		r.shows("no node selected")
		r.press("2", "e")
		r.shows("no events yet")
		r.c.env.Session.Explain = nil
		r.press("1", "e")
		r.shows("explanations are not available here")
	})
}

// TestToastsDoNotCoverTheNextStep checks that the line that says what enter does stays visible above a long error,
// even in a small window.
func TestToastsDoNotCoverTheNextStep(t *testing.T) {
	for _, height := range []int{24, 14, 10} {
		inBubble(t, rack(), nil, func(r *rig) {
			r.resize(80, height)
			r.choose("r7-n02")
			r.press("e")
			r.pass(time.Second)
			r.shows("enter  ")
			r.c.Say(screen.Say{Level: screen.Failure, Text: strings.Repeat("the BMC rejected the password and said much about it; ", 8)})
			r.shows("enter  ", "the BMC rejected", "! shows all")
		})
	}
}
