// Package ui is the console: Bubble Tea's root, the screens' history, the dialogs in
// front of them, and the sessions behind them.
//
// Facts flow one way. The poller of a session writes its Store and tells the root what
// is new; the root tells the screen in front. Wishes come back as messages of package
// screen. Update does no I/O and waits for nothing; every command is guarded, so that a
// panic in it ends the console with the terminal restored and a file that tells why.
package ui

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// Options are what the console needs of the outside.
type Options struct {
	Clock screen.Clock
	// Contexts are those that can be gone to; Open opens one by name, "" the current.
	// It sends nothing to Ironic; what the session has to say later goes to notice.
	Contexts []screen.Context
	Open     func(name string, notice func(text string)) (*screen.Session, error)
	// Probe asks another context's Ironic whether it answers.
	Probe func(ctx context.Context, name string) (screen.Health, error)
	// ReadOnly begins with changes refused, whatever the context allows.
	ReadOnly bool
	// ASCII shows no glyph beyond ASCII; Mouse begins with the mouse taken.
	ASCII, Mouse bool
	// Background is the terminal's, where it is not to be asked.
	Background Background
	// Ramdisks makes ramdisks where there is no session; may be nil. File is one to check
	// at the start, or "".
	Ramdisks screen.Ramdisks
	File     string
	// Editor makes the command that has the user's editor write on a file, or says why
	// there is none.
	Editor func(path string) (Command, error)
	// Program is the command line's name.
	Program string
	// Warnings are shown at the start.
	Warnings []string
}

// Background is what stands behind the text.
type Background int

// The backgrounds; Ask asks the terminal, and takes dark until it answers.
const (
	Ask Background = iota
	Dark
	Light
)

// Console is the root of the program.
type Console struct {
	opts Options
	env  *screen.Env
	// ctx ends with the console; running are the goroutines of sessions and tasks.
	ctx     context.Context //nolint:containedctx // it is the life of the program, not of a call
	cancel  context.CancelFunc
	running *sync.WaitGroup

	live     *liveSession
	sessions int

	history  history
	overlays []screen.Overlay
	toasts   toasts
	said     headline

	width, height int
	theme, dimmed *theme.Theme
	look          theme.Options
	mouse         bool
	fileOpened    bool
	spin          int
	// asksToQuit says that the question whether to quit is in front.
	asksToQuit bool

	// crash is what a panic left, to be told when the terminal is restored.
	crash *Crash
}

// New makes a console; Init opens its first session.
func New(ctx context.Context, opts Options) *Console {
	ctx, cancel := context.WithCancel(ctx)
	c := &Console{
		opts: opts, ctx: ctx, cancel: cancel, running: &sync.WaitGroup{}, mouse: opts.Mouse,
		width: 80, height: 24, look: theme.Options{ASCII: opts.ASCII, Light: opts.Background == Light, Profile: colorprofile.TrueColor},
		env: &screen.Env{
			Clock: opts.Clock, ReadOnly: opts.ReadOnly, Events: &screen.EventLog{}, Tasks: &screen.TaskList{}, Watching: &screen.WatchList{}, Installs: &screen.Installs{}, Logs: &screen.OpenLogs{},
			Contexts: opts.Contexts, Probe: opts.Probe, Program: opts.Program,
			Ramdisks: opts.Ramdisks, Bench: &screen.Bench{File: opts.File}, Drafts: &screen.Drafts{},
		},
	}
	c.env.Chosen = c.chosen
	c.restyle()
	return c
}

// Init opens the current context and begins the clock.
func (c *Console) Init() tea.Cmd {
	cmds := []tea.Cmd{c.tick(), c.openSession("")}
	if c.opts.Background == Ask {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	for _, w := range c.opts.Warnings {
		cmds = append(cmds, screen.Wish(screen.Say{Level: screen.Warning, Text: w}))
	}
	// Over SSH Bubble Tea does not ask by itself whether the terminal can take a whole
	// frame at once, and measures text by graphemes; asking costs two answers.
	cmds = append(cmds, tea.Raw("\x1b[?2026$p\x1b[?2027$p"))
	return guard(tea.Batch(cmds...))
}

// Update routes a message to whoever it is for.
func (c *Console) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	defer func() {
		if v := recover(); v != nil {
			m, cmd = c, c.crashed(newCrash(v))
		}
	}()
	if c.crash != nil {
		return c, tea.Quit
	}
	return c, guard(c.route(msg))
}

func (c *Console) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case *Crash:
		return c.crashed(msg)
	case tea.WindowSizeMsg:
		c.width, c.height = msg.Width, msg.Height
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
	case ticked:
		return c.ticked()
	case sessionOpened, polled, pollEnded, conductorsSeen:
		return c.sessionNews(msg)
	case prepared, ordered, confirmed, progressNews, taskEnded, retryReady:
		return c.taskNews(msg)
	case checking, checked, reviewed, refusedAgain, overriding, overridden, resumable:
		return c.deployNews(msg)
	case screen.Open, screen.Say, screen.Ask, screen.CopyText, screen.Press, screen.Switch,
		screen.RetryTask, screen.LeaveTask, screen.ApplyRamdisks, screen.StartDeployment, screen.PinDisk, screen.OrderBMC, screen.EditFile:
		return c.wish(msg)
	case quitNow:
		return c.leave()
	case stays:
		c.asksToQuit = false
	default:
		return c.forward(msg)
	}
	return nil
}

// forward gives a message that is not the root's to the dialogs and to the screen: it
// is an answer to one of their own commands, and they know it again.
func (c *Console) forward(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	if len(c.overlays) > 0 {
		cmds = append(cmds, c.toOverlay(msg))
	}
	for _, s := range c.history.all() {
		cmds = append(cmds, s.Update(msg))
	}
	return tea.Batch(cmds...)
}

// ticked comes each second: ages grow, toasts go.
type ticked struct{}

func (c *Console) tick() tea.Cmd {
	clock, ctx := c.opts.Clock, c.ctx
	return func() tea.Msg {
		select {
		case <-clock.After(time.Second):
			return ticked{}
		case <-ctx.Done():
			return nil
		}
	}
}

func (c *Console) ticked() tea.Cmd {
	now := c.opts.Clock.Now()
	c.toasts.expire(now)
	c.spin++
	return tea.Batch(c.tick(), c.dueConductors(now), c.tellScreen(screen.Tick{Now: now}))
}

// tellScreen tells the screen in front a fact.
func (c *Console) tellScreen(msg tea.Msg) tea.Cmd {
	if s := c.history.front(); s != nil {
		return s.Update(msg)
	}
	return nil
}

// restyle makes the theme anew, after one of the things that it depends on changed.
func (c *Console) restyle() {
	c.look.Accent = ""
	if c.env.Session != nil {
		c.look.Accent = c.env.Session.Context.Accent
	}
	c.theme = theme.New(c.look)
	c.dimmed = c.theme.Dimmed()
}

// quitNow ends the console.
type quitNow struct{}

// leave ends what is under way and the program.
func (c *Console) leave() tea.Cmd {
	c.cancel()
	c.history.closeAll()
	return tea.Quit
}
