// Package screentest helps to test screens. It provides a session whose nodes are in memory, a controlled clock, and
// golden files.
package screentest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/ui/screen"
)

// Began is the start time of every test.
var Began = time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)

// Rig is an environment for screens, with an API in memory.
type Rig struct {
	Env *screen.Env
	API *API
	// Watched lists the nodes that are polled more often. Hurried counts the extra polls.
	Watched []string
	// Looked lists the nodes that were polled individually.
	Looked  []string
	Hurried int
	// Needed has the requested API fields.
	Needed []string

	t      testing.TB
	poller *fleet.Poller
	news   []fleet.Update
}

// New returns a rig with an empty store. Tests call it in a synctest bubble, whose time New moves to [Began];
// benchmarks use the system time.
func New(tb testing.TB, nodes ...models.Node) *Rig {
	tb.Helper()
	<-time.After(time.Until(Began))
	r := &Rig{t: tb, API: &API{Nodes: nodes, Minor: models.NewestMinor}}
	store := fleet.NewStore()
	r.poller = fleet.NewPoller(r.API, store, fleet.Options{})
	here := screen.Context{
		Name: "rack7", Source: "/home/op/.config/ironworks/config.yaml:12", Endpoint: r.API.Endpoint(),
		Auth: "http_basic", Accent: "cyan", Current: true,
	}
	r.Env = &screen.Env{
		Started: Began, Events: &screen.EventLog{}, Tasks: screen.NewTaskList(tb.Context(), &sync.WaitGroup{}), Watching: &screen.WatchList{}, Program: "ironworks",
		Bench: &screen.Bench{}, Installs: &screen.Installs{}, Logs: &screen.OpenLogs{},
		Contexts: []screen.Context{here},
		Session: &screen.Session{
			Context: here, Store: store, API: r.API, Poller: pollerLog{r},
		},
	}
	return r
}

// pollerLog records the requests of screens to the poller, which [Rig.Sync] runs.
type pollerLog struct{ r *Rig }

// Run does nothing.
func (a pollerLog) Run(ctx context.Context, _ func(fleet.Update)) error { return ctx.Err() }

// Watch records the node.
func (a pollerLog) Watch(uuid string) { a.r.Watched = append(a.r.Watched, uuid) }

// Unwatch reverts Watch.
func (a pollerLog) Unwatch(uuid string) {
	a.r.Watched = slices.DeleteFunc(a.r.Watched, func(w string) bool { return w == uuid })
}

// PollNode records the node.
func (a pollerLog) PollNode(uuid string) { a.r.Looked = append(a.r.Looked, uuid) }

// PollNow counts its calls.
func (a pollerLog) PollNow() { a.r.Hurried++ }

// Refresh counts its calls, together with those of PollNow.
func (a pollerLog) Refresh() { a.r.Hurried++ }

// NeedFields records the fields, for the next round.
func (a pollerLog) NeedFields(fields ...string) {
	a.r.Needed = append(a.r.Needed, fields...)
	a.r.poller.NeedFields(fields...)
}

// Sync runs one round of the poller and returns its report, as the root passes it on.
func (r *Rig) Sync() screen.FleetChanged {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	r.news = nil
	_, benchmark := r.t.(*testing.B)
	ended := make(chan error, 1)
	go func() {
		ended <- r.poller.Run(ctx, func(u fleet.Update) {
			r.news = append(r.news, u)
			if benchmark && u.Status.Complete { // outside of a bubble, synctest.Wait is not available
				cancel()
			}
		})
	}()
	if !benchmark {
		synctest.Wait() // until the poller is idle
		cancel()
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		r.t.Fatalf("poll: %v", err)
	}
	var u fleet.Update
	for _, n := range r.news {
		n.Events = append(u.Events, n.Events...)
		u = n
	}
	r.Env.Status = u.Status
	r.Env.Events.Add(u.Events)
	return screen.FleetChanged{Update: u}
}

// Change changes a node and runs the poller.
func (r *Rig) Change(uuid string, change func(*models.Node)) screen.FleetChanged {
	r.t.Helper()
	for i := range r.API.Nodes {
		if r.API.Nodes[i].UUID == uuid {
			change(&r.API.Nodes[i])
		}
	}
	return r.Sync()
}

// Pass waits for a duration and returns the tick that the root would send.
func (*Rig) Pass(d time.Duration) screen.Tick {
	<-time.After(d)
	return screen.Tick{Now: time.Now()}
}

// Open starts and shows a screen, and delivers the results of its commands. The screen is closed at the end of the
// test.
func (r *Rig) Open(s screen.Screen) []tea.Msg {
	r.t.Helper()
	r.t.Cleanup(s.Close)
	return append(r.Do(s, s.Start()), r.Do(s, s.Shown())...)
}

// Do runs a command as the root does: results go to the screen, and so do the results of further commands. It returns
// the messages to the root.
func (r *Rig) Do(s screen.Screen, cmd tea.Cmd) []tea.Msg {
	r.t.Helper()
	var wishes []tea.Msg
	for _, msg := range Run(cmd) {
		switch msg.(type) {
		case screen.Open, screen.Say, screen.Ask, screen.CopyText, screen.Press, screen.Switch,
			screen.RetryTask, screen.LeaveTask, screen.CancelNode, screen.ApplyRamdisks, screen.StartDeployment, screen.StartEnroll, screen.PinDisk, screen.ChangePorts, screen.ChangeHardware, screen.OrderBMC, screen.EditFile:
			wishes = append(wishes, msg)
		default:
			wishes = append(wishes, r.Do(s, s.Update(msg))...)
		}
	}
	return wishes
}

// Deliver sends a message to the screen and handles the data that it fetches.
func (r *Rig) Deliver(s screen.Screen, msg tea.Msg) []tea.Msg {
	r.t.Helper()
	return r.Do(s, s.Update(msg))
}

// Run runs commands one after the other and returns their messages.
func Run(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case nil:
		return nil
	case tea.BatchMsg:
		var all []tea.Msg
		for _, c := range msg {
			all = append(all, Run(c)...)
		}
		return all
	default:
		return []tea.Msg{msg}
	}
}

// Press returns a key message: for one character, or for enter, esc and others.
func Press(key string) tea.KeyPressMsg {
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace, "tab": tea.KeyTab,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	}
	if code, ok := special[key]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	r := []rune(key)
	return tea.KeyPressMsg{Code: r[0], Text: key}
}

// Type presses one key for each character.
func (r *Rig) Type(s screen.Screen, text string) {
	r.t.Helper()
	for _, c := range text {
		if !s.Typing() {
			r.t.Fatalf("not typing before %q of %q", c, text)
		}
		r.Deliver(s, Press(string(c)))
	}
}

// UUID returns a UUID with a number.
func UUID(n int) string { return fmt.Sprintf("%08d-0000-4000-8000-000000000000", n) }
