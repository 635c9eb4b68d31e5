// Package cli provides the parts that all commands share: the streams and global flags of a run, the connection to
// Ironic, output formats, exit codes, prompts, progress lines, and the code that asks for confirmation, sends actions
// and reports their results.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"ironworks/config"
	"ironworks/ironicclient"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/presence"
	"ironworks/printable"
	"ironworks/session"
	"ironworks/shell"
	"ironworks/sshserver/access"
	"ironworks/ui/screen"
)

// App is one run of the program: its streams, its global flags, and the connection that they select.
type App struct {
	Process
	Flags    config.Flags
	ReadOnly bool
	Insecure bool
	Output   OutputFormat
	// Wide is true for -o wide.
	Wide bool
	// JournalFile is the journal that --journal names. It is empty if the command uses the journal of the context.
	JournalFile string

	// Files contains the paths of the program's files. It is set when the configuration is loaded.
	Files config.Files

	// secrets lists the strings to mask in crash files.
	secretsMu sync.Mutex // the console opens contexts concurrently
	secrets   []string
	// guessed is true if no Ironic is configured, so that a default address is used. searched lists the places that
	// were searched for a configuration. The list is printed if the connection to the guessed address fails.
	guessed  bool
	searched string
	// client and keystone identify the servers of the context. They are used to distinguish a failed connection to
	// one of these servers from a failed connection to a BMC.
	client   *ironicclient.Client
	keystone string
	// prompting is true while a prompt waits on the terminal for an answer. Progress lines must not overwrite the
	// prompt.
	prompting atomic.Bool
}

// NewApp returns the App for one run of the program. By default, it prints results as tables.
func NewApp(p Process) *App { return &App{Process: p, Output: OutputTable} }

// Load reads the configuration, applies the flags of this run, and prints the configuration's warnings.
func (a *App) Load(cmd *cobra.Command) (*config.Config, error) {
	cfg, err := a.LoadConfig(cmd, cmd.Flags().Changed("read-only"))
	for _, w := range cfg.Warnings {
		a.PrintMessage("warning: %s", w)
	}
	return cfg, err
}

// LoadConfig reads the configuration and applies the flags of this run, but --read-only only if withReadOnly is set.
func (a *App) LoadConfig(cmd *cobra.Command, withReadOnly bool) (*config.Config, error) {
	if a.Remote != nil {
		a.Files = a.Remote.Cfg.Files
		return a.Remote.Cfg, nil
	}
	opts := a.Options
	opts.Flags = a.Flags
	if withReadOnly {
		opts.Flags.ReadOnly = &a.ReadOnly
	}
	if cmd.Flags().Changed("insecure") {
		opts.Flags.Insecure = &a.Insecure
	}
	cfg, err := config.Load(opts)
	a.Files = cfg.Files
	a.searched = cfg.SearchedText()
	return cfg, err
}

// Connect opens the selected context. It sends no request.
func (a *App) Connect(cmd *cobra.Command) (*session.Session, error) {
	if a.Remote != nil {
		return a.Remote.connect(a)
	}
	cfg, err := a.Load(cmd)
	if err != nil {
		return nil, err
	}
	cur := cfg.Current
	a.guessed = cur.Guessed
	opened, err := session.Open(a.Host(), cur, func(text string) { a.PrintMessage("%s", text) })
	if err != nil {
		return nil, err
	}
	a.Opened(opened.Client, &cur)
	return opened, nil
}

// Opened records the servers of the context, so that errors from connecting to them can suggest ironworks doctor.
func (a *App) Opened(client *ironicclient.Client, c *config.Context) {
	a.client, a.keystone = client, c.Connection.Keystone.AuthURL
}

// Host returns the description of this program that sessions need. The configuration must have been loaded before.
func (a *App) Host() session.Host {
	return session.Host{Files: a.Files, UserAgent: "ironworks/" + Version(), Home: a.Options.Home, Env: a.Options.Env, Mask: a.Mask}
}

// Masked returns text in which the secrets passed to [App.Mask] are replaced.
func (a *App) Masked(text string) string {
	a.secretsMu.Lock()
	defer a.secretsMu.Unlock()
	for _, secret := range a.secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, models.Mask)
		}
	}
	return text
}

// Mask adds secrets that crash files must not show.
func (a *App) Mask(secrets ...models.Secret) {
	a.secretsMu.Lock()
	defer a.secretsMu.Unlock()
	for _, s := range secrets {
		a.secrets = append(a.secrets, s.Reveal())
	}
}

// Online returns a command function that opens a session of the selected context, calls do with it, and closes the
// session.
func (a *App) Online(do func(cmd *cobra.Command, s *session.Session, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		s, err := a.Connect(cmd)
		if err != nil {
			return err
		}
		defer s.Close()
		return do(cmd, s, args)
	}
}

// PrintMessage writes one message to stderr, in every output format.
func (a *App) PrintMessage(format string, args ...any) {
	a.PrintErr("ironworks: "+format+"\n", args...)
}

// PrintErr writes sanitized text to stderr.
func (a *App) PrintErr(format string, args ...any) {
	_, _ = io.WriteString(a.Stderr, printable.Lines(fmt.Sprintf(format, args...)))
}

// PrintOut writes sanitized text to stdout.
func (a *App) PrintOut(format string, args ...any) error {
	_, err := io.WriteString(a.Stdout, printable.Lines(fmt.Sprintf(format, args...)))
	return err
}

// Terminal reports whether a stream is a terminal and returns its width in columns, which is 80 if unknown.
func Terminal(stream any) (width int, is bool) {
	f, ok := stream.(*os.File)
	if !ok || !shell.IsTerminal(f) {
		return 0, false
	}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil { //nolint:gosec // file descriptors are small
		return w, true
	}
	return 80, true
}

// Interactive reports whether questions can be asked at a terminal.
func (a *App) Interactive() bool {
	_, in := Terminal(a.Stdin)
	_, out := Terminal(a.Stderr)
	return in && out
}

// Process is the environment in which the program runs. Tests replace it.
type Process struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Options        config.Options
	// HandOver marks the terminal as used by another program until back is called. It may be nil.
	HandOver func() (back func())
	// Remote is the user of ironworks serve who runs the command; nil for a local command.
	Remote *RemoteUser
	// Bug, set by tests, is called when the console opens a session, and may panic.
	Bug func()
}

// Version returns the version that was set for the build. If none was set, it returns the module's version, or
// "unknown".
func Version() string {
	if buildVersion != "" {
		return buildVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// buildVersion is set by the Makefile from git. If it is empty, [Version] uses the module's version.
var buildVersion = ""

// RegisterFlags adds the global flags.
func (a *App) RegisterFlags(f *pflag.FlagSet) {
	f.StringVar(&a.Flags.ConfigFile, "config", "", "configuration file")
	f.StringVarP(&a.Flags.Context, "context", "c", "", "context in the configuration file, or cloud in clouds.yaml")
	f.StringVar(&a.Flags.Cloud, "cloud", "", "cloud in clouds.yaml")
	f.StringVar(&a.Flags.URL, "url", "", "URL of an Ironic without Keystone")
	f.StringVar(&a.Flags.Username, "username", "", "user name for http_basic or Keystone")
	f.StringVar(&a.Flags.CACert, "cacert", "", "PEM file of the CA that signed the server's certificate")
	f.BoolVar(&a.Insecure, "insecure", false, "skip verification of the server's certificate")
	f.BoolVar(&a.ReadOnly, "read-only", false, "read-only mode: refuse every change; --read-only=false overrides the context's read_only setting")
	f.DurationVar(&a.Flags.Timeout, "connect-timeout", 0, "time limit for a request that gets no response (default 12s)")
	f.VarP(outputFlag{&a.Output, &a.Wide}, "output", "o", "output format: table, wide, json, yaml or name")
}

// RemoteUser is a user of ironworks serve who runs a command.
type RemoteUser struct {
	Cfg    *config.Config
	Shared *session.Shared
	Member *session.Member
	Role   access.Role
	Room   *presence.Room
	// Tasks contains the tasks of the server that the user may see.
	Tasks *screen.TaskList
}

// connect returns the server's session, restricted to what the user may see and do.
func (r *RemoteUser) connect(a *App) (*session.Session, error) {
	member := *r.Member
	member.ReadOnly = member.ReadOnly || a.ReadOnly
	live, err := r.Shared.As(&member)
	if err != nil {
		return nil, err
	}
	a.Opened(live.Client, &live.Context)
	return live.Reporting(func(text string) { a.PrintMessage("%s", text) }), nil
}

// TextNoFiles is the refusal shown for a file name in a command over SSH.
const TextNoFiles = "files on the server are not available over SSH; pass the content on standard input (-)"

// WhyNoFiles returns the reason why the operator cannot name files, or "" if files can be named.
func (a *App) WhyNoFiles() string {
	if a.Remote == nil {
		return ""
	}
	return TextNoFiles
}

func (a *App) visibleNodes(nodes []models.NodeRef) []models.NodeRef {
	if a.Remote == nil {
		return nodes
	}
	sees := a.Remote.Shared.Visible(a.Remote.Member)
	if sees == nil {
		return nodes
	}
	return slices.DeleteFunc(nodes, func(n models.NodeRef) bool { return !sees(n.UUID) })
}

// OfflineJournal opens the journal file given with --journal or, without that flag, the journal of the selected
// context. It sends no network requests. The caller closes the journal.
func (a *App) OfflineJournal(cmd *cobra.Command) (*journal.Journal, *config.Config, error) {
	if a.JournalFile != "" {
		cfg, err := a.namedJournal()
		if err != nil {
			return nil, nil, err
		}
		return a.OpenNamed(cmd.Context()), cfg, nil
	}
	cfg, err := a.Load(cmd)
	if err != nil {
		return nil, nil, err
	}
	host := a.Host()
	return host.Journal(cmd.Context(), &cfg.Current, func(err error) { a.PrintMessage("%v", err) }), cfg, nil
}

// JournalFlag adds the --journal flag.
func (a *App) JournalFlag(f *pflag.FlagSet) {
	f.StringVar(&a.JournalFile, "journal", "", "journal file to read (default: the context's journal), such as journal-lab.db in a --lab-state directory")
}

// OpenNamed opens the journal file given with --journal.
func (a *App) OpenNamed(ctx context.Context) *journal.Journal {
	return journal.Open(ctx, journal.Options{Path: a.JournalFile, OnError: func(err error) { a.PrintMessage("%v", err) }})
}

// namedJournal returns a configuration that contains only the context to which the --journal file belongs. The audit
// log of that context may be on another computer.
func (a *App) namedJournal() (*config.Config, error) {
	switch info, err := os.Stat(a.JournalFile); {
	case err != nil:
		return nil, fmt.Errorf("--journal: %w", err)
	case info.IsDir():
		return nil, Usagef("--journal %s is a directory; give a file in it, such as journal-CONTEXT.db", a.JournalFile)
	}
	cfg := &config.Config{}
	cfg.Current.Name = config.JournalContext(a.JournalFile)
	return cfg, nil
}

// JournalNode finds a node in the journal by its name or UUID. It returns the zero value if there is none. If several
// nodes had that name, it returns the one seen last.
func (a *App) JournalNode(ctx context.Context, kept *journal.Journal, name string) (models.NodeRef, error) {
	refs, err := kept.Nodes(ctx, name)
	if refs = a.visibleNodes(refs); err != nil || len(refs) == 0 {
		return models.NodeRef{}, err
	}
	for _, other := range refs[1:] {
		a.PrintMessage("note: node %[2]s was also named %[1]s in the past; select it by UUID", name, other.UUID)
	}
	return refs[0], nil
}
