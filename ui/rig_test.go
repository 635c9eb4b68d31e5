package ui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ironworks/agentlog"
	"ironworks/audit"
	"ironworks/fleet"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/test/golden"
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
	"ironworks/viewstate"
)

func TestMain(m *testing.M) { screentest.Main(m) }

// rig is the console without a terminal. It runs the console's commands as Bubble Tea does, in a synctest bubble.
type rig struct {
	t       *testing.T
	c       *Console
	ironic  *fakeIronic
	audit   *auditBook
	msgs    chan tea.Msg
	quit    bool
	raw     []string // sequences written to the terminal
	refused error    // if set, opening a session fails with it
	logs    agentlog.Follower
	views   string // the folder that stores the views, or ""
	shells  screen.Shells
}

// graceOfDialogs is longer than the grace period in which a new dialog ignores keys.
const graceOfDialogs = 2 * time.Second

type auditBook struct {
	mu      sync.Mutex
	records []audit.Record
}

func (a *auditBook) Write(r audit.Record) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.records = append(a.records, r)
	return nil
}

// inBubble calls test with a console connected to a fake Ironic that has the given nodes. change, which may be nil,
// can change the options before the console starts.
func inBubble(t *testing.T, nodes []models.Node, change func(*rig, *Options), test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, ironic: newFakeIronic(nodes...), audit: &auditBook{}, msgs: make(chan tea.Msg, 10_000)}
		opts := Options{
			Program: "ironworks", Open: r.open,
			Contexts: []screen.Context{
				{Name: "lab", Source: "config.yaml:9", Endpoint: "http://10.0.0.9:6385", Auth: "none"},
				{Name: "rack7", Source: "config.yaml:3", Endpoint: "https://ironic.rack7.example:6385", Auth: "http_basic", Accent: "red"},
				{Name: "broken", Source: "config.yaml:20", Err: errors.New("config.yaml:21: cacert: no such file")},
			},
		}
		if change != nil {
			change(r, &opts)
		}
		r.c = New(t.Context(), opts)
		r.run(r.c.Init())
		r.settle()
		defer func() {
			r.c.cancel()
			r.c.history.closeAll()
			<-time.After(graceOfDialogs) // the grace periods of all dialogs have ended
			synctest.Wait()
			if len(r.ironic.unchecked) > 0 {
				t.Errorf("without their checks were sent: %q", r.ironic.unchecked)
			}
		}()
		test(r)
	})
}

// open returns a session with the fake Ironic. If name is empty, the session has the rack7 context.
func (r *rig) open(name string, notice func(string)) (*screen.Session, error) {
	if r.refused != nil {
		return nil, r.refused
	}
	if name == "" {
		name = "rack7"
	}
	store := fleet.NewStore()
	p := fleet.NewPoller(r.ironic, store, fleet.Options{})
	explain := func(ctx context.Context, uuid string, _ *explain.BMCFacts) (*provision.Explained, error) {
		return provision.NewExplainer(r.ironic, provision.ExplainSources{}).Explain(ctx, uuid)
	}
	accent := map[string]string{"rack7": "red"}[name]
	var file *viewstate.File
	if r.views != "" {
		file = viewstate.Open(filepath.Join(r.views, name+".json"))
	}
	view, err := file.Load()
	if err != nil {
		notice(err.Error())
	}
	return &screen.Session{
		View: view, ViewFile: file,
		Context: screen.Context{Name: name, Endpoint: "https://ironic.rack7.example:6385", Auth: "http_basic", Accent: accent},
		Store:   store, API: r.ironic, Close: func() {},
		Runner: provision.Runner{API: r.ironic, Audit: r.audit, Context: name},
		Poller: p,
		Checks: &provision.Preflighter{Reader: r.ironic}, Logs: r.logs, Explain: explain, Shells: r.shells,
		Options: []string{"--context", name},
	}, nil
}

func (r *rig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		if msg := cmd(); msg != nil {
			r.msgs <- msg
		}
	}()
}

// settle delivers messages until the console only waits for timers.
func (r *rig) settle() {
	for {
		synctest.Wait()
		select {
		case msg := <-r.msgs:
			r.deliver(msg)
		default:
			return
		}
	}
}

func (r *rig) deliver(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.BatchMsg:
		for _, cmd := range msg {
			r.run(cmd)
		}
		return
	case tea.RawMsg:
		r.raw = append(r.raw, fmt.Sprint(msg.Msg))
		return
	case tea.QuitMsg:
		r.quit = true
		return
	}
	_, cmd := r.c.Update(msg)
	r.run(cmd)
	// Bubble Tea draws after every message.
	_ = r.c.View()
}

// pass waits for at least d, and delivers the messages that arrive in the meantime.
func (r *rig) pass(d time.Duration) {
	for range int(d/time.Second) + 1 {
		<-time.After(min(d, time.Second))
		r.settle()
	}
}

// press presses the named keys, one by one.
func (r *rig) press(keys ...string) {
	r.t.Helper()
	for _, k := range keys {
		r.deliver(keyMsg(k))
		r.settle()
	}
}

// write types text, pressing one key for each character.
func (r *rig) write(text string) {
	for _, c := range text {
		r.press(string(c))
	}
}

// answer waits until a new dialog accepts keys, and then presses the given keys.
func (r *rig) answer(keys ...string) {
	r.t.Helper()
	r.pass(time.Second)
	r.press(keys...)
}

func keyMsg(name string) tea.KeyPressMsg {
	special := map[string]tea.KeyPressMsg{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "backspace": {Code: tea.KeyBackspace},
		"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "pgdown": {Code: tea.KeyPgDown}, "pgup": {Code: tea.KeyPgUp},
		"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "space": {Code: tea.KeySpace, Text: " "}, " ": {Code: tea.KeySpace, Text: " "},
	}
	if msg, ok := special[name]; ok {
		return msg
	}
	if letter, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(letter[0]), Mod: tea.ModCtrl}
	}
	code := []rune(name)[0]
	return tea.KeyPressMsg{Code: code, Text: name}
}

func (r *rig) resize(w, h int) {
	r.deliver(tea.WindowSizeMsg{Width: w, Height: h})
	r.settle()
}

// text returns what the screen shows, without styles.
func (r *rig) text() string {
	lines := strings.Split(ansi.Strip(r.c.View().Content), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// shows fails the test if any of the given strings is missing from the screen.
func (r *rig) shows(texts ...string) {
	r.t.Helper()
	got := r.text()
	for _, want := range texts {
		if !strings.Contains(got, want) {
			r.t.Errorf("no %q on the screen:\n%s", want, got)
		}
	}
}

// lacks fails the test if any of the given strings is on the screen.
func (r *rig) lacks(texts ...string) {
	r.t.Helper()
	got := r.text()
	for _, not := range texts {
		if strings.Contains(got, not) {
			r.t.Errorf("%q is on the screen:\n%s", not, got)
		}
	}
}

// golden compares the whole screen with two golden files, at 80x24 and 200x50 cells. The names of both files start
// with name.
func (r *rig) golden(name string) {
	r.t.Helper()
	for _, size := range []struct {
		suffix string
		w, h   int
	}{{"80x24", 80, 24}, {"200x50", 200, 50}} {
		r.resize(size.w, size.h)
		screentest.Check(r.t, r.c.View().Content, size.w, size.h)
		golden.Compare(r.t, filepath.Join("testdata", name+"."+size.suffix+".golden"), randomUUID.ReplaceAllStringFunc(r.text(), steady)+"\n")
	}
}

// randomUUID matches UUIDs that differ in each run, but not the UUIDs of the rack's nodes.
var randomUUID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)

func steady(uuid string) string {
	if strings.HasPrefix(uuid, "000000") || strings.HasPrefix(uuid, "7b0f6f0e") {
		return uuid
	}
	return "11111111-1111-4111-8111-111111111111"
}
