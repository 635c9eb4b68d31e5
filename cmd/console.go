package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/audit"
	"ironworks/config"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/session"
	"ironworks/ui"
	"ironworks/ui/screen"
)

// consoleFlags are those of the console alone.
type consoleFlags struct {
	lab   bool
	site  siteFlags
	ascii bool
	mouse bool
	theme string
	fps   int
	// file is what is checked at the start, or "".
	file string
}

func (f *consoleFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.lab, "lab", false, "open on machines that do not exist, under an Ironic that comes with them")
	f.site.register(cmd.Flags())
	f.registerLook(cmd.Flags())
}

// registerLook registers those that say how it is drawn.
func (f *consoleFlags) registerLook(flags *pflag.FlagSet) {
	flags.BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters alone")
	flags.BoolVar(&f.mouse, "mouse", false, "let the mouse scroll (shift-drag then selects text)")
	flags.StringVar(&f.theme, "theme", "auto", "colours for a dark or a light background: auto asks the terminal")
	flags.IntVar(&f.fps, "fps", 0, "send the screen at most this often a second (default 90, over SSH 30)")
}

// checkLook says what is wrong with them.
func (f *consoleFlags) checkLook() error {
	if _, known := backgrounds[f.theme]; !known {
		return usagef("--theme %q: want auto, dark or light", models.Printable(f.theme))
	}
	return nil
}

// console opens the full-screen console.
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
	if name := flags.site.used(cmd); name != "" {
		return usagef("--%s is for --lab", name)
	}
	// In the console --read-only is where it begins, and a key allows changes; only what
	// the configuration forbids stays forbidden.
	given := cmd.Flags().Changed("read-only")
	cfg, err := a.loadConfig(cmd, given && !a.readOnly)
	var pick *config.PickError
	if err != nil && (!errors.As(err, &pick) || pick.Name != "" || len(cfg.Contexts) == 0) {
		return err
	}
	return a.openConsole(cmd, flags, cfg, err)
}

var backgrounds = map[string]ui.Background{"auto": ui.Ask, "dark": ui.Dark, "light": ui.Light}

// openConsole opens it on the contexts of a configuration; pick says why none of them
// is the current one.
func (a *app) openConsole(cmd *cobra.Command, flags consoleFlags, cfg *config.Config, pick error) error {
	given := cmd.Flags().Changed("read-only")
	c := &consoleHost{app: a, cfg: cfg, pick: pick, lab: flags.lab, audit: &audit.Late{Path: a.files.Audit}, cmd: cmd}
	defer c.audit.Close()
	defer c.stopServing()
	defer c.giveBack()
	return a.show(cmd, &flags, ui.Options{
		Contexts: c.contexts(), Open: c.open, Probe: c.probe, ReadOnly: given && a.readOnly,
		Editor:   func(path string) (ui.Command, error) { return a.newEditor(cmd.Context(), path) },
		Warnings: cfg.Warnings, Ramdisks: &consoleRamdisks{host: c}, File: flags.file,
	})
}

// show shows the console until it is left.
func (a *app) show(cmd *cobra.Command, flags *consoleFlags, options ui.Options) error {
	fps := flags.fps
	if fps <= 0 {
		fps = 90 // a key is on the screen within 11 ms, and an idle console costs 1.4 % of a core; the 120 that Bubble Tea takes at most cost 2 %
		if a.options.Env("SSH_TTY") != "" || a.options.Env("SSH_CONNECTION") != "" {
			fps = 30
		}
	}
	options.Clock, options.Program = clock{}, "ironworks"
	options.ASCII, options.Mouse, options.Background = flags.ascii, flags.mouse, backgrounds[flags.theme]
	err := ui.Run(cmd.Context(), options, ui.Terminal{In: a.stdin, Out: a.stdout, Env: os.Environ(), FPS: fps})
	var crash *ui.Crash
	if errors.As(err, &crash) {
		a.crashedWith(crash.Value, crash.Stack)
		return &codeError{code: exitFailed}
	}
	return err
}

// needsTerminal says what to do instead where the console cannot be shown.
func (a *app) needsTerminal() error {
	_, in := terminal(a.stdin)
	_, out := terminal(a.stdout)
	switch {
	case !in || !out:
		return usagef("the console needs a terminal to type at and to draw on; " +
			"ironworks nodes lists nodes, ironworks watch prints what happens, ironworks --help has the rest")
	case a.options.Env("TERM") == "dumb":
		return usagef("TERM=dumb cannot show a full screen; ironworks nodes lists nodes, ironworks watch prints what happens")
	}
	return nil
}

// consoleHost gives the console its sessions.
type consoleHost struct {
	app   *app
	cfg   *config.Config
	pick  error
	lab   bool
	audit *audit.Late
	// cmd is the command that opened the console.
	cmd *cobra.Command

	mu      sync.Mutex
	serving []*consoleServing
	// opened are all sessions, and left is what could not be left as it was found.
	opened []*session.Live
	left   []string
}

// all are the contexts there are; the current one may be none of the configuration's.
func (c *consoleHost) all() []config.Context {
	all := slices.Clone(c.cfg.Contexts)
	named := slices.ContainsFunc(all, func(x config.Context) bool { return x.Name == c.cfg.Current.Name && x.Source == c.cfg.Current.Source })
	if !named && c.cfg.Current.Name != "" {
		all = append([]config.Context{c.cfg.Current}, all...)
	}
	return all
}

func (c *consoleHost) contexts() []screen.Context {
	var out []screen.Context
	for _, x := range c.all() {
		one := c.shown(&x)
		if x.Guessed {
			one.Looked = c.looked()
		}
		out = append(out, one)
	}
	return out
}

// looked is what was looked for, without the sentences around it.
func (c *consoleHost) looked() string {
	var lines []string
	for _, place := range c.cfg.Looked {
		lines = append(lines, place.String())
	}
	return strings.Join(lines, "\n")
}

func (c *consoleHost) shown(x *config.Context) screen.Context {
	endpoint := x.Connection.Endpoint
	if endpoint == "" {
		endpoint = x.Connection.Keystone.AuthURL
	}
	auth := x.Connection.Auth
	if auth == "" {
		auth = models.AuthNone
	}
	accent := x.Accent
	if accent == "" && strings.Contains(strings.ToLower(x.Name), "prod") {
		accent = "red" // production must look different, also where nobody thought of it
	}
	return screen.Context{
		Name: x.Name, Source: x.Source, Endpoint: endpoint, Auth: string(auth), Accent: accent, ReadOnly: x.ReadOnly, Err: x.Err, Lab: c.lab,
	}
}

// find gives the context with a name, "" the current one.
func (c *consoleHost) find(name string) (config.Context, error) {
	if name == "" {
		if c.pick != nil {
			return config.Context{}, c.pick
		}
		return c.cfg.Current, c.cfg.Current.Err
	}
	// The current one has what flags and variables add to it.
	if name == c.cfg.Current.Name {
		return c.cfg.Current, c.cfg.Current.Err
	}
	for _, x := range c.all() {
		if x.Name == name {
			return x, x.Err
		}
	}
	return config.Context{}, fmt.Errorf("no context %q", models.Printable(name))
}

// open makes the session of a context. Nothing is sent yet.
func (c *consoleHost) open(name string, notice func(text string)) (*screen.Session, error) {
	x, err := c.find(name)
	if err != nil {
		return nil, err
	}
	opened, err := session.Open(c.app.host(), x, notice)
	if err != nil {
		return nil, err
	}
	if c.app.bug != nil {
		c.app.bug()
	}
	ctx := c.cmd.Context()
	live := opened.Live(ctx, c.audit, func(text string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.left = append(c.left, text)
	})
	c.mu.Lock()
	c.opened = append(c.opened, live)
	c.mu.Unlock()
	s := &screen.Session{
		Context: c.shown(&x), Defaults: screen.Defaults(x.Defaults), Store: live.Store, API: live.Client, Poller: live,
		Runner: *live.Runner, Checks: live.Preflighter(), Changes: live.Changes.Of, Journal: live.Journal, Explain: live.Explain,
		Options: c.options(&x), Ramdisks: &consoleRamdisks{host: c, session: live.Session, keep: live.Keep},
		Close: func() { live.Close(ctx) },
	}
	if live.Logs != nil {
		s.Logs = live.Logs
	}
	if live.BMCs != nil {
		s.BMCs = consoleBMCs{live.BMCs}
	}
	return s, nil
}

// consoleBMCs are the BMCs of a session, with logins as the screens have them.
type consoleBMCs struct{ *session.BMCs }

// Remember takes a login for this run.
func (b consoleBMCs) Remember(l screen.BMCLogin) {
	b.BMCs.Remember(l.Address, l.All, config.BMCLogin{Username: l.Username, Password: l.Password})
}

// Keep puts a login into the keyring.
func (b consoleBMCs) Keep(ctx context.Context, l screen.BMCLogin) error {
	return b.BMCs.Keep(ctx, l.Address, l.All, config.BMCLogin{Username: l.Username, Password: l.Password})
}

// giveBack waits until all sessions have given serial consoles back, for the screen does not
// wait long, and says what could not be undone.
func (c *consoleHost) giveBack() {
	long := time.AfterFunc(time.Second, func() { c.app.complain("waiting until the serial console is disabled again") })
	defer long.Stop()
	c.mu.Lock()
	opened := c.opened
	c.mu.Unlock()
	for _, live := range opened {
		live.GiveBack(c.cmd.Context())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range c.left {
		c.app.complain("%s", text)
	}
}

// probe asks a context's Ironic for one node, with a connection of its own.
func (c *consoleHost) probe(ctx context.Context, name string) (screen.Health, error) {
	x, err := c.find(name)
	if err != nil {
		return screen.Health{}, err
	}
	x.ReadOnly = true
	s, err := session.Open(c.app.host(), x, func(string) {})
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

// options are the flags that lead the command line to a context.
func (c *consoleHost) options(x *config.Context) []string {
	switch {
	case x.Guessed:
		return nil
	case slices.ContainsFunc(c.cfg.Contexts, func(y config.Context) bool { return y.Name == x.Name }):
		return []string{"--context", screen.Quoted(x.Name)}
	case x.Connection.Endpoint != "" && !x.Connection.Auth.Keystone():
		return []string{"--url", screen.Quoted(x.Connection.Endpoint)}
	}
	return nil // the environment leads there
}
