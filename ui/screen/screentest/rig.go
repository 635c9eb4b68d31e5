// Package screentest helps to test screens. It provides a session with in-memory nodes, a controlled clock, and
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

// Rig is an environment in which screens can be tested. It uses an in-memory API.
type Rig struct {
	Env *screen.Env
	API *API
	// Watched lists the nodes that are polled more often.
	Watched []string
	// Looked lists the nodes that were polled individually. Hurried counts the calls to PollNow and Refresh.
	Looked  []string
	Hurried int
	// Needed lists the API fields that screens have asked for.
	Needed []string

	t      testing.TB
	poller *fleet.Poller
	news   []fleet.Update
}

// New returns a rig whose Store is empty. Tests call New in a synctest bubble, and New moves the bubble's time to
// [Began]. Benchmarks use the system time.
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

// pollerLog records the calls that screens make to the poller. The poller itself runs only in [Rig.Sync].
type pollerLog struct{ r *Rig }

// Run does nothing.
func (a pollerLog) Run(ctx context.Context, _ func(fleet.Update)) error { return ctx.Err() }

// Watch adds the node to Watched.
func (a pollerLog) Watch(uuid string) { a.r.Watched = append(a.r.Watched, uuid) }

// Unwatch removes the node from Watched.
func (a pollerLog) Unwatch(uuid string) {
	a.r.Watched = slices.DeleteFunc(a.r.Watched, func(w string) bool { return w == uuid })
}

// PollNode adds the node to Looked.
func (a pollerLog) PollNode(uuid string) { a.r.Looked = append(a.r.Looked, uuid) }

// PollNow only counts the request.
func (a pollerLog) PollNow() { a.r.Hurried++ }

// Refresh increments Hurried.
func (a pollerLog) Refresh() { a.r.Hurried++ }

// NeedFields adds the fields to Needed, and makes the next round of the poller read them.
func (a pollerLog) NeedFields(fields ...string) {
	a.r.Needed = append(a.r.Needed, fields...)
	a.r.poller.NeedFields(fields...)
}

// Sync runs one round of the poller. It returns the message that the root would send to the screens afterwards.
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
		synctest.Wait() // waits until the poller is idle
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

// Change changes the node with the given UUID and runs one round of the poller.
func (r *Rig) Change(uuid string, change func(*models.Node)) screen.FleetChanged {
	r.t.Helper()
	for i := range r.API.Nodes {
		if r.API.Nodes[i].UUID == uuid {
			change(&r.API.Nodes[i])
		}
	}
	return r.Sync()
}

// Pass waits for d and returns the tick that the root would then send.
func (*Rig) Pass(d time.Duration) screen.Tick {
	<-time.After(d)
	return screen.Tick{Now: time.Now()}
}

// Open starts and shows a screen, and delivers the results of its commands to it. Open returns the messages that are
// meant for the root. The screen is closed at the end of the test.
func (r *Rig) Open(s screen.Screen) []tea.Msg {
	r.t.Helper()
	r.t.Cleanup(s.Close)
	return append(r.Do(s, s.Start()), r.Do(s, s.Shown())...)
}

// Do runs a command in the same way as the root: it sends the resulting messages to the screen and runs the commands
// that the screen returns. Do returns the messages that are meant for the root.
func (r *Rig) Do(s screen.Screen, cmd tea.Cmd) []tea.Msg {
	r.t.Helper()
	var wishes []tea.Msg
	for _, msg := range Run(cmd) {
		switch msg.(type) {
		case screen.Open, screen.Say, screen.Ask, screen.CopyText, screen.Press, screen.Switch,
			screen.RetryTask, screen.LeaveTask, screen.CancelNode, screen.StartAction, screen.StartDeployment, screen.StartEnroll, screen.EditFile:
			wishes = append(wishes, msg)
		default:
			wishes = append(wishes, r.Do(s, s.Update(msg))...)
		}
	}
	return wishes
}

// Deliver sends a message to the screen and runs the resulting commands with Do.
func (r *Rig) Deliver(s screen.Screen, msg tea.Msg) []tea.Msg {
	r.t.Helper()
	return r.Do(s, s.Update(msg))
}

// Run runs the commands in cmd one by one and returns their messages.
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

// Press returns the message for pressing a key: a character or the name of a key, such as "enter".
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

// Type presses one key for each character of text. The test fails if keys are not text input.
func (r *Rig) Type(s screen.Screen, text string) {
	r.t.Helper()
	for _, c := range text {
		if !s.Typing() {
			r.t.Fatalf("not typing before %q of %q", c, text)
		}
		r.Deliver(s, Press(string(c)))
	}
}

// UUID returns a UUID that starts with the number n.
func UUID(n int) string { return fmt.Sprintf("%08d-0000-4000-8000-000000000000", n) }
