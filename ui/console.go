// Package ui implements the console: Bubble Tea's root model, the history of screens, dialogs and sessions.
//
// Data flows in one direction. A session's poller writes to the session's Store and reports changes to the root,
// which passes them to the current screen. Screens request actions with the messages of package screen. Update does
// no I/O and never waits.
//
// Every command is guarded: if it panics, the console ends, restores the terminal, and leaves a crash file.
package ui

import (
	"context"
	"errors"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"ironworks/mailbox"
	"ironworks/plugin"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/task"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
)

// Options configures the console.
type Options struct {
	// Contexts lists the configured contexts. Open opens a context by name, or the current one if name is empty,
	// without sending a request to Ironic. The opened session reports later messages through notice.
	Contexts []screen.Context
	Open     func(name string, notice func(text string)) (*screen.Session, error)
	// Probe tests the connection of the named context without opening it.
	Probe func(ctx context.Context, name string) (screen.Health, error)
	// ReadOnly starts the console in read-only mode, even if the context allows changes.
	ReadOnly bool
	// ASCII restricts glyphs to ASCII. Mouse turns mouse support on at startup.
	ASCII, Mouse bool
	// Background is the background of the terminal, or Ask if it is unknown.
	Background Background
	// Ramdisks builds ramdisks without a session; it may be nil. File, if set, is opened on the Ignition screen at
	// startup.
	Ramdisks screen.Ramdisks
	File     string
	// Editor returns the command that opens a file in the user's editor.
	Editor func(path string) (Command, error)
	// Notify selects how the terminal announces the end of a long task.
	Notify Notify
	// Keys holds the actions with the operator's key bindings; nil means the built-in keys.
	Keys *action.Keymap
	// Plugins maps the IDs of actions, which Keys contains as well, to the operator's programs that they run.
	Plugins map[action.ID]*plugin.Plugin
	// HandOver is called when another program takes over the terminal. The function that it returns is called when
	// that program has ended. HandOver may be nil.
	HandOver func() (back func())
	// Program is the name of the command-line program.
	Program string
	// Warnings are shown as toasts at the start.
	Warnings []string
	// Tasks is a list of tasks that outlives the console. If nil, the console creates its own list.
	Tasks *screen.TaskList
	// Team is set only on a server shared by several users.
	Team *Team
}

// Background says whether the terminal's background is dark or light.
type Background int

// The backgrounds. Ask queries the terminal, and is treated as Dark until the terminal replies.
const (
	Ask Background = iota
	Dark
	Light
)

// Console is the root model of the program.
type Console struct {
	opts Options
	env  *screen.Env
	// ctx is canceled when the console ends. running counts the goroutines of sessions and tasks.
	ctx     context.Context //nolint:containedctx // it is the life of the program, not of a call
	cancel  context.CancelFunc
	running *sync.WaitGroup

	tasks *task.Workflow
	// taskNews receives a report whenever tasks have changed.
	taskNews *mailbox.Box[struct{}]
	// roomNews receives a report when a session on the server begins, ends, changes its screen or follows another
	// one, when a message arrives, and when the content of the followed session changes.
	roomNews *mailbox.Box[struct{}]
	live     *liveSession
	sessions int

	history  history
	overlays []screen.Overlay
	toasts   toasts
	headline headline

	width, height int
	// keyAt is the time when the last key was pressed.
	keyAt time.Time
	// record receives the terminal's output, or is nil if nothing is recorded.
	record Recorder
	// painter draws the screen, and is nil until there is a terminal. tty is this process's terminal, or nil.
	painter *painter
	tty     *tty
	// painted is the screen content that was drawn last, and shown is the last view returned by View. unchanged means
	// that the last message changed neither.
	painted       string
	shown         tea.View
	unchanged     bool
	theme, dimmed *theme.Theme
	look          theme.Options
	mouse         bool
	fileOpened    bool
	spin          int
	// asksToQuit is set while the quit dialog is open.
	asksToQuit bool

	// crash is the first panic. It is reported after the terminal has been restored.
	crash *Crash
}

// New returns a console. Its first session is opened by Init.
func New(ctx context.Context, opts Options) *Console {
	ctx, cancel := context.WithCancel(ctx)
	c := &Console{
		opts: opts, ctx: ctx, cancel: cancel, running: &sync.WaitGroup{}, taskNews: mailbox.New[struct{}](), roomNews: mailbox.New[struct{}](), mouse: opts.Mouse,
		width: 80, height: 24, look: theme.Options{ASCII: opts.ASCII, Light: opts.Background == Light, Profile: colorprofile.TrueColor},
		env: &screen.Env{
			ReadOnly: opts.ReadOnly, Events: &screen.EventLog{}, Tasks: opts.Tasks, Watching: &screen.WatchList{}, Installs: &screen.Installs{}, Logs: &screen.OpenLogs{},
			Contexts: opts.Contexts, Probe: opts.Probe, Program: opts.Program, Keys: opts.Keys, Plugins: opts.Plugins,
			Ramdisks: opts.Ramdisks, Bench: &screen.Bench{File: opts.File}, Drafts: &screen.Drafts{}, Entered: form.History{},
		},
	}
	c.env.Chosen = c.chosen
	if c.env.Tasks == nil {
		c.env.Tasks = screen.NewTaskList(ctx, c.running)
	}
	context.AfterFunc(ctx, c.env.Tasks.OnChange(reportTo(c.taskNews)))
	c.enterRoom()
	c.tasks = task.New(ctx, c.env, c, c.running)
	c.restyle()
	return c
}

// Init opens the current context, starts the clock, and shows the startup warnings.
func (c *Console) Init() tea.Cmd {
	cmds := []tea.Cmd{c.tick(), c.openSession(""), c.reportOf(c.taskNews, tasksChanged{})}
	if c.env.Seat != nil {
		cmds = append(cmds, c.reportOf(c.roomNews, roomChanged{}))
	}
	if c.opts.Background == Ask {
		cmds = append(cmds, c.send(ansi.RequestBackgroundColor))
	}
	for _, w := range c.opts.Warnings {
		cmds = append(cmds, screen.Send(screen.Say{Level: screen.Warning, Text: w}))
	}
	return guard(tea.Batch(cmds...))
}

type tasksChanged struct{}

// reportOf returns a command that waits for a report in box and returns msg, or nil if the console ends first.
func (c *Console) reportOf(box *mailbox.Box[struct{}], msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if _, ok := box.Take(c.ctx); !ok {
			return nil
		}
		return msg
	}
}

func reportTo(box *mailbox.Box[struct{}]) func() {
	return func() { box.Put(func(*struct{}) {}) }
}

// Update passes a message to the part of the console that handles it. A panic ends the console.
func (c *Console) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	defer func() {
		if v := recover(); v != nil {
			m, cmd = c, c.crashed(newCrash(v))
		}
	}()
	if c.crash != nil {
		return c, tea.Quit
	}
	if c.painter != nil {
		c.painter.listen(msg)
	}
	c.unchanged = false
	cmd = guard(c.route(msg))
	c.lookAround()
	return c, cmd
}

func (c *Console) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case *Crash:
		return c.crashed(msg)
	case tea.WindowSizeMsg:
		c.width, c.height = msg.Width, msg.Height
		if c.record != nil {
			c.record.Resize(msg.Width, msg.Height)
		}
	case tea.BackgroundColorMsg:
		c.look.Light = !msg.IsDark()
		c.restyle()
	case tea.ColorProfileMsg:
		c.look.Profile = msg.Profile
		c.restyle()
	case tea.KeyPressMsg:
		return c.key(msg)
	case tea.PasteMsg:
		return c.pasted(msg)
	case tea.MouseWheelMsg:
		return c.wheel(msg)
	case tea.MouseClickMsg:
		return c.click(msg)
	case ticked:
		return c.ticked()
	case sessionOpened:
		return c.sessionOpened(msg)
	case polled:
		if c.isCurrent(msg.number) {
			return c.polled(msg.sessionReport)
		}
	case conductorsSeen:
		c.conductorsSeen(msg)
	case pollEnded:
	case viewSaved:
		c.viewSaved(msg)
	case tasksChanged:
		return tea.Batch(c.reportOf(c.taskNews, tasksChanged{}), c.SendToScreen(screen.TasksChanged{}))
	case roomChanged:
		return c.roomChanged()
	case followPerson:
		c.follow(msg.id)
	case task.Msg:
		return c.tasks.Update(msg)
	case quitNow:
		return c.shutDown()
	case quitCanceled:
		c.asksToQuit = false
	default:
		return c.handleRequest(msg)
	}
	return nil
}

func (c *Console) conductorsSeen(msg conductorsSeen) {
	if !c.isCurrent(msg.number) {
		return
	}
	c.live.readingConductors = false
	if !msg.failed {
		c.env.Conductors = msg.list
	}
}

// forward sends msg to the dialog in front and to all visited screens, because any of them may have started the
// command that returned msg.
func (c *Console) forward(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	if len(c.overlays) > 0 {
		cmds = append(cmds, c.toOverlay(msg))
	}
	for _, s := range c.history.visited {
		cmds = append(cmds, s.Update(msg))
	}
	return tea.Batch(cmds...)
}

// ticked is a message that normally arrives every second. It updates the displayed ages, hides expired toasts, and
// starts the requests and saves that are due.
type ticked struct{}

// If no key has been pressed for restAfter, a console on a server updates ages only every restTick, because a server
// runs many consoles.
const (
	restAfter = 30 * time.Second
	restTick  = 10 * time.Second
)

// resting reports whether the console is on a server and no key has been pressed for restAfter.
func (c *Console) resting() bool { return c.env.Seat != nil && time.Since(c.keyAt) >= restAfter }

func (c *Console) tick() tea.Cmd {
	ctx, every := c.ctx, time.Second
	if c.resting() {
		every = restTick
	}
	return func() tea.Msg {
		select {
		case <-time.After(every):
			return ticked{}
		case <-ctx.Done():
			return nil
		}
	}
}

func (c *Console) ticked() tea.Cmd {
	now := time.Now()
	c.toasts.expire(now)
	c.spin++
	return tea.Batch(c.tick(), c.dueConductors(now), c.dueView(now), c.SendToScreen(screen.Tick{Now: now}))
}

// SendToScreen sends a message to the screen in front.
func (c *Console) SendToScreen(msg tea.Msg) tea.Cmd {
	if s := c.history.front(); s != nil {
		return s.Update(msg)
	}
	return nil
}

// restyle rebuilds the theme after the look of the console or the accent color of the context has changed.
func (c *Console) restyle() {
	c.look.Accent = ""
	if c.env.Session != nil {
		c.look.Accent = c.env.Session.Context.Accent
	}
	c.theme = theme.New(c.look)
	c.dimmed = c.theme.Dimmed()
}

type quitNow struct{}

func (c *Console) shutDown() tea.Cmd {
	c.cancel()
	c.history.closeAll()
	return tea.Quit
}

// Command is a program that takes over the terminal while it runs.
type Command = tea.ExecCommand

func (c *Console) editFile(edit screen.EditFile) tea.Cmd {
	start := c.opts.Editor
	if start == nil {
		start = func(string) (Command, error) { return nil, errors.New("no editor configured; set $VISUAL or $EDITOR") }
	}
	return func() tea.Msg {
		editor, err := start(edit.Path)
		if err != nil {
			return edit.Done(err)
		}
		return c.Exec(editor, edit.Done)()
	}
}
