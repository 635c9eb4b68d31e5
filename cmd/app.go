package cmd

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ironworks/config"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/printable"
	"ironworks/session"
	"ironworks/shell"
)

// app is one run of the program: its streams, its global flags, and the connection that they select.
type app struct {
	process
	flags    config.Flags
	readOnly bool
	insecure bool
	output   outputFormat
	// wide is true for -o wide.
	wide bool
	// journalFile is the journal that --journal names. It is empty if the command uses the journal of the context.
	journalFile string

	// secrets has the secrets that crash files mask. guessed and searched explain a failed connection if no Ironic is
	// configured.
	secretsMu sync.Mutex // the console opens contexts concurrently
	secrets   []string
	guessed   bool
	searched  string
	files     config.Files
	// client and keystone are the servers of the context. With them, a failed connection to a server is distinguished
	// from a failed connection to a BMC.
	client   *ironicclient.Client
	keystone string
	// prompting is true while a prompt waits on the terminal for an answer. Progress lines must not overwrite the
	// prompt.
	prompting atomic.Bool
}

func newApp(p process) *app { return &app{process: p, output: outputTable} }

func (a *app) rootCommand() *cobra.Command {
	var console consoleFlags
	root := &cobra.Command{
		Use:           "ironworks [FILE]",
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
	root.SetFlagErrorFunc(flagError)
	f := root.PersistentFlags()
	f.StringVar(&a.flags.ConfigFile, "config", "", "configuration file")
	f.StringVarP(&a.flags.Context, "context", "c", "", "context of the configuration file, or cloud of clouds.yaml")
	f.StringVar(&a.flags.Cloud, "cloud", "", "cloud of clouds.yaml")
	f.StringVar(&a.flags.URL, "url", "", "URL of an Ironic without Keystone")
	f.StringVar(&a.flags.Username, "username", "", "user name for http_basic or Keystone")
	f.StringVar(&a.flags.CACert, "cacert", "", "PEM file of the CA that signed the server's certificate")
	f.BoolVar(&a.insecure, "insecure", false, "skip verification of the server's certificate")
	f.BoolVar(&a.readOnly, "read-only", false, "read-only mode: refuse every change; =false overrides read_only of the context")
	f.DurationVar(&a.flags.Timeout, "connect-timeout", 0, "time limit for a request without any response (default 12s)")
	f.VarP(outputFlag{&a.output, &a.wide}, "output", "o", "output format: table, wide, json, yaml or name")
	root.AddCommand(
		a.enrollCommand(), a.bringUpCommand(), a.exportCommand(), a.nodesCommand(), a.nodeCommand(), a.watchCommand(), a.logsCommand(), a.sshCommand(),
		a.powerCommand(), a.maintenanceCommand(), a.setCommand(), a.bootDeviceCommand(), a.deleteCommand(), a.runCommand(),
		a.portCommand(), a.portgroupCommand(), a.vifCommand(), a.rulesCommand(), a.templatesCommand(), a.runbooksCommand(),
		a.stepsCommand(), a.biosCommand(), a.firmwareCommand(), a.raidCommand(), a.inventoryCommand(), a.webConsoleCommand(), a.volumesCommand(), a.vendorCommand(),
		a.driversCommand(), a.conductorsCommand(), a.validateCommand(), a.historyCommand(), a.explainCommand(), a.doctorCommand(), a.journalCommand(), a.disksCommand(), a.hintsCommand(),
		a.ignitionCommand(), a.configCommand(), a.labCommand(), a.replayCommand(), a.bmcCommand(), a.agentCommand(), a.versionCommand(), a.manCommand(), a.serveCommand(),
	)
	root.AddCommand(a.verbCommands()...)
	root.AddCommand(a.flagCommands()...)
	wrapUsage(root)
	if a.remote != nil {
		a.remote.restrict(a, root)
	}
	addHelp(root)
	a.completeFlags(root)
	return root
}

// wrapUsage makes a wrong number of arguments a usage error in every command.
func wrapUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usagef("%w (see %s --help)", argumentError(cmd, args, err), cmd.CommandPath())
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		wrapUsage(sub)
	}
}

// load reads the configuration with the flags of this run and prints its warnings.
func (a *app) load(cmd *cobra.Command) (*config.Config, error) {
	cfg, err := a.loadConfig(cmd, cmd.Flags().Changed("read-only"))
	for _, w := range cfg.Warnings {
		a.printMessage("warning: %s", w)
	}
	return cfg, err
}

// loadConfig reads the configuration with the flags of this run, with or without --read-only.
func (a *app) loadConfig(cmd *cobra.Command, withReadOnly bool) (*config.Config, error) {
	if a.remote != nil {
		a.files = a.remote.cfg.Files
		return a.remote.cfg, nil
	}
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
	a.searched = cfg.SearchedText()
	return cfg, err
}

// connect opens the selected context. It sends no request.
func (a *app) connect(cmd *cobra.Command) (*session.Session, error) {
	if a.remote != nil {
		return a.remote.connect(a)
	}
	cfg, err := a.load(cmd)
	if err != nil {
		return nil, err
	}
	cur := cfg.Current
	a.guessed = cur.Guessed
	opened, err := session.Open(a.host(), cur, func(text string) { a.printMessage("%s", text) })
	if err != nil {
		return nil, err
	}
	a.client, a.keystone = opened.Client, cur.Connection.Keystone.AuthURL
	return opened, nil
}

// host describes this program to sessions. It needs a loaded configuration.
func (a *app) host() session.Host {
	return session.Host{Files: a.files, UserAgent: "ironworks/" + version(), Home: a.options.Home, Env: a.options.Env, Mask: a.mask}
}

// mask adds secrets that crash files must not show.
func (a *app) mask(secrets ...models.Secret) {
	a.secretsMu.Lock()
	defer a.secretsMu.Unlock()
	for _, s := range secrets {
		a.secrets = append(a.secrets, s.Reveal())
	}
}

// online wraps a command that needs a session of the selected context.
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

// printMessage writes one message to stderr, in every output format.
func (a *app) printMessage(format string, args ...any) {
	a.printErr("ironworks: "+format+"\n", args...)
}

// printErr writes sanitized text to stderr.
func (a *app) printErr(format string, args ...any) {
	_, _ = io.WriteString(a.stderr, printable.Lines(fmt.Sprintf(format, args...)))
}

// printOut writes sanitized text to stdout.
func (a *app) printOut(format string, args ...any) error {
	_, err := io.WriteString(a.stdout, printable.Lines(fmt.Sprintf(format, args...)))
	return err
}

// terminal reports whether a stream is a terminal, and its width.
func terminal(stream any) (width int, is bool) {
	f, ok := stream.(*os.File)
	if !ok || !shell.IsTerminal(f) {
		return 0, false
	}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil { //nolint:gosec // file descriptors are small
		return w, true
	}
	return 80, true
}

// interactive reports whether questions can be asked at a terminal.
func (a *app) interactive() bool {
	_, in := terminal(a.stdin)
	_, out := terminal(a.stderr)
	return in && out
}
