package cmd

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
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

// process is the environment of a run, which tests replace.
type process struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	options        config.Options
	// handOver marks the terminal as used by another program until back is called. It may be nil.
	handOver func() (back func())
	// remote is the user of ironworks serve who runs the command; nil for a local command.
	remote *remoteUser
	// bug, set by tests, is called when the console opens a session, and may panic.
	bug func()
}

func version() string {
	if buildVersion != "" {
		return buildVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// buildVersion is set by the Makefile from git; the default is the version of the module.
var buildVersion = ""
