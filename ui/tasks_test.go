package ui

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// twoManaged starts the manage verb on r7-n08, where it takes a minute, and on r7-n09, where it fails after a second.
func (r *rig) twoManaged() {
	r.t.Helper()
	r.ironic.change(func() {
		r.ironic.nodes[8].fails = "Failed to get power state: 401"
		r.ironic.nodes[7].Name = "r7-n08"
	})
	r.pass(6 * time.Second)
	r.mark("r7-n08", "r7-n09")
	r.press("M")
	r.ironic.change(func() { r.ironic.nodes[7].due = time.Now().Add(time.Minute) })
	r.pass(4 * time.Second)
}

func TestRetryWhileOthersRun(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.twoManaged()
		r.press("5")
		r.shows("running 1/2, 1 failed")
		r.press("enter", "home")
		r.shows("✖ failed", "Failed to get power state: 401", "running")
		before := len(r.ironic.requests())
		r.press("r")
		r.pass(4 * time.Second)
		if got := r.ironic.requests()[before:]; !slices.Equal(got, []string{"manage r7-n09"}) {
			t.Errorf("the retry sent %q", got)
		}
		r.shows("Task 2", "✓ done", "1 task")
		r.press("esc")
		r.shows("Task 1", "retried in task 2")
		r.pass(time.Minute)
		r.shows("1 failed, 1 done")
		r.press("r")
		r.shows("retry-failed: no node failed")
	})
}

func TestCancelOneNodeOfATask(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.twoManaged()
		r.press("5", "enter", "home", "x")
		r.pass(time.Second)
		r.shows("canceled", "the operation continues", "1 failed, 1 canceled")
		r.press("x")
		r.shows("cancel-node: the task has ended")
	})
}

// TestTitleAndNotification checks that the window title counts the running tasks, and that a notification announces
// the end of a task that ran for at least 30 s, but not of a shorter one.
func TestTitleAndNotification(t *testing.T) {
	for notify, want := range map[Notify]string{
		NotifyOff: "", NotifyBell: "\a",
		NotifyOSC9:   "\x1b]9;ironworks: manage: 1 failed, 1 done (5 shows task 1 and the reasons)\x1b\\",
		NotifyOSC777: "\x1b]777;notify;ironworks;manage: 1 failed, 1 done (5 shows task 1 and the reasons)\x1b\\",
	} {
		inBubble(t, rack(), func(_ *rig, o *Options) { o.Notify = notify }, func(r *rig) {
			title := func(want string) {
				t.Helper()
				if got := r.c.View().WindowTitle; got != want {
					t.Errorf("title %q, want %q", got, want)
				}
			}
			title("ironworks rack7")
			r.twoManaged()
			title("ironworks rack7 · 1 task running")
			r.raw = nil
			r.pass(time.Minute)
			title("ironworks rack7")
			if got := strings.Join(r.raw, ""); got != want {
				t.Errorf("%s: %q, want %q", notify, got, want)
			}
			r.raw = nil
			r.choose("r7-n04")
			r.press("M")
			r.pass(3 * time.Second)
			if len(r.raw) > 0 {
				t.Errorf("%s: a short task notifies: %q", notify, r.raw)
			}
		})
	}
}

// TestNotificationIsHarmless checks that text from a node or from Ironic cannot end the control sequence of a
// notification.
func TestNotificationIsHarmless(t *testing.T) {
	t.Parallel()
	for _, n := range Notifies() {
		got := n.sequence("ironworks", "a\x1b\\\x07b\u009c;c\n"+strings.Repeat("x", 1000))
		body := strings.TrimSuffix(strings.TrimPrefix(got, "\x1b"), "\x1b\\")
		if n != NotifyBell && (strings.ContainsAny(body, "\x1b\a\n\u009c") || strings.Count(body, ";") > 3 || len(got) > 300) {
			t.Errorf("%s: %q", n, got)
		}
	}
}

// TestMenusObeyTheirKeys checks that the key of a menu item has the same effect inside the menu as outside it, as
// long as no text has been typed. A lowercase letter is typed as text, and moves the item with that key to the top.
func TestMenusObeyTheirKeys(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.choose("r7-n04")
		r.press("a", "M")
		r.sent("manage r7-n04")
		r.pass(3 * time.Second)
		r.choose("r7-n05")
		r.press("a", "m")
		r.shows("❯ m  maintenance-on")
		r.press("enter")
		r.shows("maintenance-on r7-n05", "Reason")
		r.press("esc", "?", "2")
		r.shows("rack7 › events")
		r.press("1")
		r.choose("r7-n04")
		r.press("a", "U")
		r.shows("Act on r7-n04", "undeploy: not possible")
	})
}

// TestHelpHasTopics checks that the actions of the current screen come first in the help, and that headings cannot be
// chosen.
func TestHelpHasTopics(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.resize(100, 100)
		r.press("?")
		at := -1
		for _, topic := range []string{"Fleet", "Acting on nodes", "Filter and columns", "Lists", "Everywhere"} {
			next := strings.Index(r.text(), "│ "+topic+" ")
			if next <= at {
				t.Errorf("%s is not below the topic before it:\n%s", topic, r.text())
			}
			at = next
		}
		r.shows("❯ n ")
		r.write("redraw")
		r.lacks("Everywhere ", "│ Fleet ")
		r.shows("1/")
	})
}
