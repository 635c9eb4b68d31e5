package cmd

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/audit"
	"ironworks/cmd/cli"
	"ironworks/cmd/lab"
	"ironworks/config"
	"ironworks/editor"
	"ironworks/ignition/prepare"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/printable"
	"ironworks/session"
	"ironworks/ui"
	"ironworks/ui/screen"
	"ironworks/viewstate"
)

type consoleFlags struct {
	lab   bool
	site  lab.SiteFlags
	ascii bool
	mouse bool
	theme string
	// notify is the name of a [ui.Notify].
	notify string
	fps    int
	record string
	// castVersion is the asciicast version for recordings: 2 or 3.
	castVersion int
	// resetView removes the stored view, so that the console starts with the view from the configuration.
	resetView bool
	// file is the path of the user data that the console checks when it starts. It may be empty.
	file string
}

func (f *consoleFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.lab, "lab", false, "console with simulated machines and an embedded Ironic")
	cmd.Flags().BoolVar(&f.resetView, "reset-view", false, "start with the configured sort and filter, without marks, instead of the last view")
	f.site.Register(cmd.Flags())
	f.registerLook(cmd.Flags())
}

// registerLook registers the flags for the appearance, the notifications and the recordings of the console.
func (f *consoleFlags) registerLook(flags *pflag.FlagSet) {
	flags.BoolVar(&f.ascii, "ascii", false, "ASCII characters only")
	flags.BoolVar(&f.mouse, "mouse", false, "mouse: click, scroll (shift-drag then selects text)")
	flags.StringVar(&f.theme, "theme", "auto", "color theme: dark, light, or auto to query the terminal")
	flags.StringVar(&f.notify, "notify", string(ui.NotifyOff), "notification when a task of 30 s or more ends: off, bell, osc9 or osc777")
	flags.StringVar(&f.record, "record", "", "record what the terminal shows to a new FILE, as an asciicast")
	flags.IntVar(&f.castVersion, "record-version", 2, "asciicast version to record with --record: 2 or 3")
	flags.IntVar(&f.fps, "fps", 0, "maximum screen updates per second (default 60, over SSH 30)")
}

func (f *consoleFlags) checkLook() error {
	if _, known := backgrounds[f.theme]; !known {
		return cli.Usagef("--theme %q: must be auto, dark or light%s", f.theme, cli.DidYouMean(f.theme, slices.Collect(maps.Keys(backgrounds))))
	}
	if !slices.Contains(ui.Notifies(), ui.Notify(f.notify)) {
		return cli.Usagef("--notify %q: must be off, bell, osc9 or osc777%s", f.notify, cli.DidYouMean(f.notify, ui.Notifies()))
	}
	return nil
}

func (a *app) console(cmd *cobra.Command, flags consoleFlags) error {
	if err := a.needsTerminal(); err != nil {
		return err
	}
	if err := flags.checkLook(); err != nil {
		return err
	}
	if flags.lab {
		return a.labConsole(cmd, flags)
	}
	if name := flags.site.Used(cmd); name != "" {
		return cli.Usagef("--%s needs --lab", name)
	}
	// In the console, --read-only sets only the initial mode, which the user can change with a key. The read_only
	// setting of the configuration cannot be changed there.
	given := cmd.Flags().Changed("read-only")
	cfg, err := a.LoadConfig(cmd, given && !a.ReadOnly)
	if pick, is := errors.AsType[*config.PickError](err); err != nil && (!is || pick.Name != "" || len(cfg.Contexts) == 0) {
		return err
	}
	return a.openConsole(cmd, flags, cfg, err)
}

var backgrounds = map[string]ui.Background{"auto": ui.Ask, "dark": ui.Dark, "light": ui.Light}

// openConsole opens the console on the contexts of a configuration. pick says why no context is selected, or is nil.
func (a *app) openConsole(cmd *cobra.Command, flags consoleFlags, cfg *config.Config, pick error) error {
	keys, err := keymap(cfg.Console)
	if err != nil {
		return err
	}
	given := cmd.Flags().Changed("read-only")
	c := &consoleHost{app: a, cfg: cfg, contextErr: pick, lab: flags.lab, resetView: flags.resetView, audit: &audit.LazyFile{Path: a.Files.Audit}, cmd: cmd}
	defer c.audit.Close()
	defer c.stopServing()
	defer c.giveBack()
	return a.show(cmd, &flags, ui.Options{
		Contexts: c.contexts(), Open: c.open, Probe: c.probe, ReadOnly: given && a.ReadOnly,
		Editor: func(path string) (ui.Command, error) { return editor.New(cmd.Context(), path, a.Options.Env) },
		Keys:   keys, Plugins: pluginsOf(cfg.Console), HandOver: a.HandOver, Warnings: cfg.Warnings, Ramdisks: c.ramdisks(nil, nil), File: flags.file,
	})
}

func (a *app) show(cmd *cobra.Command, flags *consoleFlags, options ui.Options) error {
	fps := flags.fps
	if fps <= 0 {
		fps = defaultFPS
		if a.Options.Env("SSH_TTY") != "" || a.Options.Env("SSH_CONNECTION") != "" {
			fps = 30
		}
	}
	options.Program = "ironworks"
	options.ASCII, options.Mouse, options.Background = flags.ascii, flags.mouse, backgrounds[flags.theme]
	options.Notify = ui.Notify(flags.notify)
	term := ui.Terminal{In: a.Stdin, Out: a.Stdout, Env: os.Environ(), FPS: fps}
	if flags.record != "" {
		end, err := a.record(flags, &term)
		if err != nil {
			return err
		}
		defer end()
	}
	a.limitGarbage(consoleGC)
	err := ui.Run(cmd.Context(), options, term)
	if crash, is := errors.AsType[*ui.Crash](err); is {
		a.crashed(crash.Value, crash.Stack)
		return &cli.CodeError{Code: cli.ExitFailed}
	}
	return err
}

// needsTerminal returns an error if the console cannot run on this terminal.
func (a *app) needsTerminal() error {
	_, in := cli.Terminal(a.Stdin)
	_, out := cli.Terminal(a.Stdout)
	switch {
	case !in || !out:
		return cli.Usagef("the console needs a terminal; " +
			"use ironworks nodes to list nodes, ironworks watch to print events (see ironworks --help)")
	case a.Options.Env("TERM") == "dumb":
		return cli.Usagef("the console cannot run with TERM=dumb; use ironworks nodes to list nodes, ironworks watch to print events")
	}
	return nil
}

// consoleHost opens the sessions of the console.
type consoleHost struct {
	app        *app
	cfg        *config.Config
	contextErr error
	lab        bool
	// resetView removes the stored view of the first context.
	resetView bool
	audit     *audit.LazyFile
	// cmd is the command that opened the console.
	cmd *cobra.Command

	mu      sync.Mutex
	serving []*session.Serving
	// opened lists all sessions opened so far. restoreProblems lists messages about node settings that could not be
	// restored.
	opened          []*session.Live
	restoreProblems []string
}

func (c *consoleHost) contexts() []screen.Context {
	var out []screen.Context
	for _, x := range c.cfg.All() {
		one := shownContext(&x, c.lab)
		if x.Guessed {
			one.Searched = strings.Join(c.cfg.SearchedPlaces(), "\n")
		}
		out = append(out, one)
	}
	return out
}

// shownContext returns a context in the form that the screens show.
func shownContext(x *config.Context, lab bool) screen.Context {
	accent := x.Accent
	if accent == "" && strings.Contains(strings.ToLower(x.Name), "prod") {
		accent = "red" // production looks different even without a configured accent
	}
	return screen.Context{
		Name: x.Name, Source: x.Source, Endpoint: cmp.Or(x.Connection.Endpoint, x.Connection.Keystone.AuthURL), Auth: string(cmp.Or(x.Connection.Auth, models.AuthNone)), Accent: accent, ReadOnly: x.ReadOnly, Err: x.Err, Lab: lab,
	}
}

// find returns the context with the given name, or the selected context if name is empty.
func (c *consoleHost) find(name string) (config.Context, error) {
	if name == "" && c.contextErr != nil {
		return config.Context{}, c.contextErr
	}
	return c.cfg.Find(cmp.Or(name, c.cfg.Current.Name))
}

// open opens the session of a context. No request is sent yet.
func (c *consoleHost) open(name string, notice func(text string)) (*screen.Session, error) {
	x, err := c.find(name)
	if err != nil {
		return nil, err
	}
	opened, err := session.Open(c.app.Host(), x, notice)
	if err != nil {
		return nil, err
	}
	if c.app.Bug != nil {
		c.app.Bug()
	}
	ctx := c.cmd.Context()
	live := opened.Live(ctx, c.audit, func(text string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.restoreProblems = append(c.restoreProblems, text)
	})
	c.mu.Lock()
	c.opened = append(c.opened, live)
	c.mu.Unlock()
	s := liveScreens(shownContext(&x, c.lab), live)
	s.Options, s.Ramdisks = selecting(c.cfg, &x), c.ramdisks(live.Session, live.Record)
	s.Close = func() { live.Close(ctx) }
	s.ViewFile = viewstate.Open(c.app.Files.View(x.Name))
	if name == "" && c.resetView {
		err = s.ViewFile.Reset()
	} else {
		s.View, err = s.ViewFile.Load()
	}
	if err != nil {
		notice(printable.Line(err.Error()))
	}
	return s, nil
}

// liveScreens adapts a live session to the interfaces of the screens.
func liveScreens(shown screen.Context, live *session.Live) *screen.Session {
	s := &screen.Session{
		Context: shown, Defaults: screen.Defaults(live.Context.Defaults), Filters: live.Context.Filters, Store: live.Store, API: live.Client, Poller: live,
		Runner: *live.Runner, Checks: live.Preflighter(), Changes: live.Changes.ForNode, Journal: live.Journal, Logs: live.Logs, Explain: live.Explain,
		Ports: live.Client, Rules: live.Client, StepFiles: live.Client, Hardware: live.Client, Enroll: live.Enrolling(),
		Consoles: live.Consoles,
	}
	if live.Shells != nil {
		s.Shells = consoleShells{live.Shells}
	}
	if live.BMCs != nil {
		s.BMCs = live.BMCs
	}
	return s
}

type consoleShells struct{ *session.Shells }

// Open connects to the machine of a node.
func (s consoleShells) Open(ctx context.Context, n *models.Node, address string) (screen.Shell, error) {
	opened, err := s.Shells.Open(ctx, n, address)
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// giveBack waits until all sessions have restored the nodes' serial consoles, and prints which could not be.
func (c *consoleHost) giveBack() {
	long := time.AfterFunc(time.Second, func() { c.app.PrintMessage("restoring the serial console setting of the node…") })
	defer long.Stop()
	c.mu.Lock()
	opened := c.opened
	c.mu.Unlock()
	for _, live := range opened {
		live.GiveBack(c.cmd.Context())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range c.restoreProblems {
		c.app.PrintMessage("%s", text)
	}
}

// probe requests one node from the Ironic of a context, over a new connection.
func (c *consoleHost) probe(ctx context.Context, name string) (screen.Health, error) {
	x, err := c.find(name)
	if err != nil {
		return screen.Health{}, err
	}
	x.ReadOnly = true
	s, err := session.Open(c.app.Host(), x, func(string) {})
	if err != nil {
		return screen.Health{}, err
	}
	defer s.Close()
	page, err := s.Client.NodePage(ctx, ironicclient.NodeQuery{Fields: []string{"uuid"}, Limit: 1})
	if err != nil {
		return screen.Health{}, err
	}
	v, _ := s.Client.Version()
	return screen.Health{Version: v, Latency: page.Latency}, nil
}

// selecting returns the flag that selects a context, and its value, or nil if no flag is needed.
func selecting(cfg *config.Config, x *config.Context) []string {
	switch {
	case x.Guessed:
		return nil
	case slices.ContainsFunc(cfg.Contexts, func(y config.Context) bool { return y.Name == x.Name }):
		return []string{"--context", x.Name}
	case x.Connection.Endpoint != "" && !x.Connection.Auth.Keystone():
		return []string{"--url", x.Connection.Endpoint}
	}
	return nil // the environment selects the context
}

// consoleRamdisks builds ramdisks for the console, and stops the servers that it has started when the console ends.
type consoleRamdisks struct {
	session.Ramdisks
	console *consoleHost
}

func (c *consoleHost) ramdisks(s *session.Session, keep session.LineRecorder) screen.Ramdisks {
	return &consoleRamdisks{session.Ramdisks{Host: c.app.Host(), Session: s, Record: keep}, c}
}

// Serve starts a server, and registers it to be stopped when the console ends.
func (r *consoleRamdisks) Serve(ctx context.Context, of prepare.ConfigSource, order prepare.ServeOrder) (screen.Serving, error) {
	s, err := r.Ramdisks.Serve(ctx, of, order)
	if err != nil {
		return nil, err
	}
	r.console.mu.Lock()
	defer r.console.mu.Unlock()
	r.console.serving = append(r.console.serving, s)
	return s, nil
}

func (c *consoleHost) stopServing() {
	c.mu.Lock()
	all := c.serving
	c.mu.Unlock()
	for _, s := range all {
		s.Stop()
	}
}
