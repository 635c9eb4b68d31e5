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

	"ironworks/agentlog"
	"ironworks/config"
	"ironworks/fleet"
	"ironworks/ironicclient"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
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
	flags.IntVar(&f.fps, "fps", 0, "send the screen at most this often a second (default 200, over SSH 30)")
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
	c := &consoleHost{app: a, cfg: cfg, pick: pick, lab: flags.lab, audit: &lateAudit{path: a.files.Audit}, cmd: cmd}
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
		fps = 200 // a key is on the screen within a frame, 5 ms; nothing is sent while nothing changes
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
	audit *lateAudit
	// cmd is the command that opened the console.
	cmd *cobra.Command

	mu      sync.Mutex
	serving []*consoleServing
	// lent are the serial consoles of all sessions, and left what could not be left as it
	// was found.
	lent []*provision.Consoles
	left []string
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
	c.app.keepSecrets(&x)
	if c.app.bug != nil {
		c.app.bug()
	}
	client, err := ironicclient.New(x.Connection, ironicclient.Options{
		Clock: clock{}, ReadOnly: x.ReadOnly, UserAgent: "ironworks/" + version(),
		OnSlow: func(op string, limit time.Duration) { notice(slowText(op, limit)) },
	})
	if err != nil {
		return nil, err
	}
	changes, err := provision.ReadChanges(c.app.files.Audit, x.Name, c.audit, time.Now)
	if err != nil {
		notice(models.Printable(err.Error()))
	}
	ramdisks := &consoleRamdisks{host: c, session: &session{context: x, client: client}}
	s := &screen.Session{
		Changes: changes.Of,
		Context: c.shown(&x), Defaults: screen.Defaults(x.Defaults), Store: fleet.NewStore(), API: client,
		Runner:  provision.Runner{API: client, Audit: changes, Clock: clock{}, Context: x.Name, ReadOnly: x.ReadOnly},
		Checks:  c.app.preflighter(&x, client, func(err error) { notice(models.Printable(err.Error())) }),
		Options: c.options(&x), Ramdisks: ramdisks,
	}
	way := logsWay{address: lastAgent(s.Store), clock: func() (time.Duration, bool) {
		status := s.Store.Status()
		return status.Skew, !status.Answered.IsZero()
	}}
	kept := openJournal(c.cmd.Context(), &c.app.files, &x, func(err error) { notice(models.Printable(err.Error())) })
	keep := linesHeard(kept, s.Store)
	ramdisks.keep = keep
	receiving := c.receive(&x, client, &way, keep, notice)
	consoles := c.lendConsoles(client, s.Runner, notice)
	way.serial = consoles
	follower, err := c.app.follower(&x, way)
	if err != nil {
		notice(models.Printable(err.Error())) // it says what is wrong with the context's logs
	} else {
		s.Logs = &keptLogs{Follower: follower, keep: keep}
	}
	if bmcs, err := c.bmcs(&x, client, notice); err == nil {
		s.BMCs = bmcs
	} else {
		notice(models.Printable(err.Error()))
	}
	c.poll(s, client, &x, kept)
	s.Explain = explainLive(client, s.Store, kept, provision.ExplainSources{Changes: changes.Of, Ports: client.Ports, Agent: agentlog.AskAgent})
	s.Close = func() {
		receiving()
		c.closeConsoles(consoles)
		client.Close()
		kept.Close()
	}
	return s, nil
}

// receive takes pushed journals where the context says so, until it is told to end, and
// keeps their lines, whoever looks or not. The console goes on without them.
func (c *consoleHost) receive(
	x *config.Context, client *ironicclient.Client, way *logsWay, keep lineKeeper, notice func(text string),
) (end func()) {
	if x.Logs.Listen == "" {
		return func() {}
	}
	receiver, err := c.app.receiver(client)
	if err != nil {
		notice(models.Printable(err.Error()))
		return func() {}
	}
	way.push = receiver
	ctx, cancel := context.WithCancel(c.cmd.Context())
	var running sync.WaitGroup
	running.Go(func() { keepReceiving(ctx, receiver, x.Logs.Listen, notice) })
	running.Go(func() {
		for b := range receiver.Subscribe(ctx, models.NodeRef{}) {
			keep(b.Lines)
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// poll gives a session its poller, and keeps what that tells.
func (c *consoleHost) poll(s *screen.Session, client *ironicclient.Client, x *config.Context, kept *journal.Journal) {
	s.Journal = kept
	// The poller's ear is the session's own: it is there once Poll runs.
	ear := &struct{ notify func(fleet.Update) }{}
	poller := fleet.NewPoller(client, s.Store, fleet.Options{
		Clock: clock{}, Fields: extraFields(x.Defaults), Notify: func(u fleet.Update) {
			kept.Note(updateRecords(s.Store, u))
			ear.notify(u)
		},
	})
	s.Poll = func(ctx context.Context, notify func(fleet.Update)) error {
		ear.notify = notify
		return poller.Run(ctx)
	}
	s.Watch, s.Unwatch, s.Look = poller.Watch, poller.Unwatch, poller.Look
	s.Hurry, s.Refresh, s.Need = poller.Hurry, poller.Refresh, poller.Need
}

// probe asks a context's Ironic for one node, with a connection of its own.
func (c *consoleHost) probe(ctx context.Context, name string) (screen.Health, error) {
	x, err := c.find(name)
	if err != nil {
		return screen.Health{}, err
	}
	c.app.keepSecrets(&x)
	client, err := ironicclient.New(x.Connection, ironicclient.Options{Clock: clock{}, ReadOnly: true, UserAgent: "ironworks/" + version()})
	if err != nil {
		return screen.Health{}, err
	}
	defer client.Close()
	page, err := client.NodePage(ctx, ironicclient.NodeQuery{Fields: []string{"uuid"}, Limit: 1})
	if err != nil {
		return screen.Health{}, err
	}
	v, _ := client.Version()
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

// extraFields are the API fields that the configured columns and filter need.
func extraFields(d config.Defaults) []string {
	var fields []string
	for _, key := range append(slices.Clone(d.Columns), strings.TrimPrefix(d.Sort, "-")) {
		if col, err := explain.FindColumn(key); err == nil && col.Field != "" {
			fields = append(fields, col.Field)
		}
	}
	if f, err := models.ParseFilter(d.Filter); err == nil {
		fields = append(fields, f.Fields()...)
	}
	return fields
}

// lateAudit opens the audit when the first line is written: who only looks needs none.
type lateAudit struct {
	path string
	mu   sync.Mutex
	file *provision.AuditFile
}

// Write appends a record.
func (l *lateAudit) Write(r provision.AuditRecord) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		file, err := provision.OpenAudit(l.path)
		if err != nil {
			return err
		}
		l.file = file
	}
	return l.file.Write(r)
}

// Close closes what was opened.
func (l *lateAudit) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close()
	}
}
