package logs_test

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
)

// answer opens the dialog that asks whether to read the serial console, and presses key.
func (x *rig) answer(key string) {
	x.t.Helper()
	x.wishes = nil
	x.do(action.LogSerial)
	if len(x.wishes) != 1 {
		x.t.Fatalf("%v", x.wishes)
	}
	dialog := x.wishes[0].(screen.Ask).Overlay
	screentest.CheckOverlay(x.t, dialog)
	if text := screentest.OverlayText(dialog, 80, 24); !strings.Contains(text, "a console allows only one reader") || !strings.Contains(text, "disabled again") {
		x.t.Error(text)
	}
	starter, ok := dialog.(interface{ Start() tea.Cmd })
	if !ok {
		x.t.Fatal("it may be answered before it was read")
	}
	begin := starter.Start()
	x.r.Pass(2 * time.Second)
	_, _ = dialog.Update(begin())
	x.wishes = nil
	if done, cmd := dialog.Update(screentest.Press(key)); done {
		x.run(cmd)
	}
	x.settle()
}

func TestSerialConsoleAsksFirst(t *testing.T) {
	inBubble(t, func(x *rig) {
		if x.l.DisabledReason(action.LogSerial) == "" {
			t.Error("there is no node's console to read")
		}
		x.follow(ref(1))
		x.send(1, agentlog.Batch{Lines: lines(0, 2), Status: []agentlog.Status{following(1)}})
		for _, key := range []string{"esc", "n", "enter"} {
			if x.answer(key); x.begun != 1 {
				t.Fatalf("%s: followed %d times", key, x.begun)
			}
		}
		x.answer("y")
		if x.begun != 2 || x.followed != 1 || len(x.more) != 1 || x.more[0] != models.LogSerial {
			t.Fatalf("followed %d times, %d now, with %v", x.begun, x.followed, x.more)
		}
		// Lines that arrive again are not shown twice.
		x.send(1, agentlog.Batch{Lines: lines(0, 3), Status: []agentlog.Status{{Source: models.LogSerial, State: agentlog.StateFollowing, Address: "192.0.2.1:10023"}}})
		x.shows("line 2")
		if n := strings.Count(x.text(80, 24), "line 1"); n != 1 {
			t.Errorf("line 1 is there %d times", n)
		}
		x.do(action.LogSources)
		if text := screentest.OverlayText(x.wishes[len(x.wishes)-1].(screen.Ask).Overlay, 100, 20); !strings.Contains(text, "● console 192.0.2.1:10023: following") {
			t.Error(text)
		}
		x.wishes = nil
		x.do(action.LogSerial)
		if x.begun != 3 || x.followed != 1 || len(x.more) != 0 || len(x.wishes) != 0 {
			t.Errorf("followed %d times, %d now, with %v; %v", x.begun, x.followed, x.more, x.wishes)
		}
		x.l.Suspend()
		x.settle()
		x.follow(ref(1))
		if len(x.more) != 0 {
			t.Error("the console is read by itself")
		}
		x.follow(ref(1), ref(2))
		if why := x.l.DisabledReason(action.LogSerial); !strings.Contains(why, "only one console") {
			t.Errorf("%q", why)
		}
	})
}
