package cmd

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ironworks/config"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/session"
)

// app is one run of the program: its streams, its global flags, and what they lead to.
type app struct {
	process
	flags    config.Flags
	readOnly bool
	insecure bool
	output   outputFormat
	// journalFile is read instead of the context's journal; empty for that.
	journalFile string

	// secrets are masked in a crash file; guessed and looked explain a failure to
	// connect when nothing was configured.
	secretsMu sync.Mutex // contexts are asked at the same time
	secrets   []string
	guessed   bool
	looked    string
	files     config.Files
	// client and keystone are who a command talks to, to tell their failures from a BMC's.
	client   *ironicclient.Client
	keystone string
}

func newApp(p process) *app { return &app{process: p} }

// clock is the system's time, passed to the packages that may not take it themselves.
type clock struct{}

func (clock) Now() time.Time                         { return time.Now() }
func (clock) After(d time.Duration) <-chan time.Time { return time.After(d) }

func (a *app) rootCommand() *cobra.Command {
	var console consoleFlags
	root := &cobra.Command{
		Use:   "ironworks [FILE]",
		Short: "The terminal console for bare metal under OpenStack Ironic",
		Long: "ironworks shows every node of an Ironic live and acts on them.\n" +
			"Without a command it opens the full-screen console; with a FILE, Butane or Ignition, at what is wrong in it.\n\n" +
			"Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused before anything was sent, 4 cannot connect.",
		SilenceErrors: true, SilenceUsage: true,
		Args: fileArgument,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				console.file = args[0]
			}
			return a.console(cmd, console)
		},
	}
	console.register(root)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w (see %s --help)", err, cmd.CommandPath())
	})
	f := root.PersistentFlags()
	f.StringVar(&a.flags.ConfigFile, "config", "", "configuration file")
	f.StringVarP(&a.flags.Context, "context", "c", "", "context of the configuration, or cloud of clouds.yaml")
	f.StringVar(&a.flags.Cloud, "cloud", "", "cloud of clouds.yaml")
	f.StringVar(&a.flags.URL, "url", "", "URL of an Ironic without Keystone")
	f.StringVar(&a.flags.Username, "username", "", "user for http_basic or Keystone")
	f.StringVar(&a.flags.CACert, "cacert", "", "PEM file of the CA that signed the server's certificate")
	f.BoolVar(&a.insecure, "insecure", false, "do not verify the server's certificate")
	f.BoolVar(&a.readOnly, "read-only", false, "refuse every change; =false lifts a context's read_only")
	f.DurationVar(&a.flags.Timeout, "connect-timeout", 0, "give a request up after this long without a byte (default 12s)")
	f.VarP(&a.output, "output", "o", "output: table, json, yaml or name")
	root.AddCommand(
		a.nodesCommand(), a.nodeCommand(), a.watchCommand(), a.logsCommand(),
		a.powerCommand(), a.maintenanceCommand(), a.setCommand(), a.bootDeviceCommand(),
		a.driversCommand(), a.conductorsCommand(), a.validateCommand(), a.historyCommand(), a.explainCommand(), a.doctorCommand(), a.journalCommand(), a.disksCommand(), a.hintsCommand(),
		a.ignitionCommand(), a.configCommand(), a.labCommand(), a.replayCommand(), a.bmcCommand(), a.versionCommand(),
	)
	root.AddCommand(a.verbCommands()...)
	root.AddCommand(a.flagCommands()...)
	wrapUsage(root)
	return root
}

// wrapUsage makes a wrong number of arguments a usage error, in every command.
func wrapUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usagef("%w (see %s --help)", err, cmd.CommandPath())
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		wrapUsage(sub)
	}
}

// load reads the configuration with the flags of this run, and tells what it warns of.
func (a *app) load(cmd *cobra.Command) (*config.Config, error) {
	cfg, err := a.loadConfig(cmd, cmd.Flags().Changed("read-only"))
	for _, w := range cfg.Warnings {
		a.complain("warning: %s", w)
	}
	return cfg, err
}

// loadConfig reads the configuration with the flags of this run; with --read-only among
// them or not.
func (a *app) loadConfig(cmd *cobra.Command, withReadOnly bool) (*config.Config, error) {
	opts := a.options
	opts.Flags = a.flags
	if withReadOnly {
		opts.Flags.ReadOnly = &a.readOnly
	}
	if cmd.Flags().Changed("insecure") {
		opts.Flags.Insecure = &a.insecure
	}
	cfg, err := config.Load(opts)
	a.files = cfg.Files
	a.looked = cfg.LookedText()
	return cfg, err
}

// connect makes the client of the selected context. Nothing is sent yet.
func (a *app) connect(cmd *cobra.Command) (*session.Session, error) {
	cfg, err := a.load(cmd)
	if err != nil {
		return nil, err
	}
	cur := cfg.Current
	a.guessed = cur.Guessed
	opened, err := session.Open(a.host(), cur, func(text string) { a.complain("%s", text) })
	if err != nil {
		return nil, err
	}
	a.client, a.keystone = opened.Client, cur.Connection.Keystone.AuthURL
	return opened, nil
}

// host is the program around sessions. The configuration must have been read.
func (a *app) host() session.Host {
	return session.Host{Files: a.files, Clock: clock{}, UserAgent: "ironworks/" + version(), Home: a.options.Home, Env: a.options.Env, Mask: a.mask}
}

// mask keeps secrets out of a crash file.
func (a *app) mask(secrets ...models.Secret) {
	a.secretsMu.Lock()
	defer a.secretsMu.Unlock()
	for _, s := range secrets {
		a.secrets = append(a.secrets, s.Reveal())
	}
}

// online is a command that talks to the selected context's Ironic.
func (a *app) online(do func(cmd *cobra.Command, s *session.Session, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		s, err := a.connect(cmd)
		if err != nil {
			return err
		}
		defer s.Close()
		return do(cmd, s, args)
	}
}

// complain writes one message for people, whatever the output format.
func (a *app) complain(format string, args ...any) {
	_, _ = fmt.Fprintf(a.stderr, "ironworks: %s\n", models.PrintableLines(fmt.Sprintf(format, args...)))
}

// terminal says whether a stream is a terminal, and how wide.
func terminal(stream any) (width int, is bool) {
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) { //nolint:gosec // file descriptors are small
		return 0, false
	}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil { //nolint:gosec // as above
		return w, true
	}
	return 80, true
}

// interactive says that somebody sits there who can be asked.
func (a *app) interactive() bool {
	_, in := terminal(a.stdin)
	_, out := terminal(a.stderr)
	return in && out
}

// withTimeout bounds a context when a duration is given.
func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}
