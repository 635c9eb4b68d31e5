package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/models/filter"
	"ironworks/presence"
	"ironworks/printable"
	"ironworks/session"
	"ironworks/sshserver"
	"ironworks/sshserver/access"
	"ironworks/ui/screen"
)

type serverFlags struct {
	listen, hostKey, record           string
	authorizedKeys, userCA, revokedBy []string
	check                             bool
}

const defaultListen = ":2222"

func (a *app) serveCommand() *cobra.Command {
	var flags serverFlags
	cmd := &cobra.Command{
		Use: "serve", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serveConsoles(cmd, &flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.listen, "listen", "", "listen address HOST:PORT (default "+defaultListen+")")
	f.StringVar(&flags.hostKey, "host-key", "", "host key file, created if missing (default: ssh_host_key in the state folder)")
	f.StringArrayVar(&flags.authorizedKeys, "authorized-keys", nil, "file or folder with public keys: TYPE KEY NAME [ROLE]; may be repeated")
	f.StringArrayVar(&flags.userCA, "user-ca", nil, "file with public keys of certificate authorities; may be repeated")
	f.StringArrayVar(&flags.revokedBy, "revoked-keys", nil, "file with revoked keys and certificates; may be repeated")
	f.StringVar(&flags.record, "record", "", "folder for recordings of all sessions, as asciicasts (kept up to 2 GiB)")
	f.BoolVar(&flags.check, "check", false, "check configuration, keys and connection, and exit")
	return cmd
}

func (f *serverFlags) settings(cfg *config.Config) config.Serve {
	s := cfg.Console.Serve
	s.Record = cmp.Or(f.record, s.Record)
	s.Listen = cmp.Or(f.listen, s.Listen, defaultListen)
	if s.HostKey = cmp.Or(f.hostKey, s.HostKey); s.HostKey == "" && cfg.Files.State != "" {
		s.HostKey = filepath.Join(cfg.Files.State, "ssh_host_key")
	}
	for _, one := range []struct {
		to   *[]string
		from []string
	}{{&s.Access.AuthorizedKeys, f.authorizedKeys}, {&s.Access.UserCA, f.userCA}, {&s.Access.RevokedKeys, f.revokedBy}} {
		if len(one.from) > 0 {
			*one.to = one.from
		}
	}
	return s
}

// consoleServer serves the consoles of one context.
type consoleServer struct {
	app    *app
	cfg    *config.Config
	access *access.List
	shared *session.Shared
	room   *presence.Room
	tasks  *screen.TaskList
	audit  audit.Writer
	// recordings is the folder in which sessions are recorded. If empty, they are not recorded.
	recordings string
}

// serveConsoles serves consoles until the command is interrupted.
func (a *app) serveConsoles(cmd *cobra.Command, flags *serverFlags) (err error) {
	cfg, err := a.Load(cmd)
	if err != nil {
		return err
	}
	if _, err := keymap(cfg.Console); err != nil {
		return err
	}
	settings := flags.settings(cfg)
	list, err := access.Open(settings.Access)
	if err != nil {
		return cli.Usagef("serve: %w", err)
	}
	if settings.HostKey == "" {
		return cli.Usagef("serve: no state folder; set the host key file with --host-key")
	}
	log := &audit.LazyFile{Path: a.Files.Audit}
	defer log.Close()
	s := &consoleServer{app: a, cfg: cfg, access: list, room: presence.NewRoom(), audit: log, recordings: settings.Record}
	if err := writableFolder(s.recordings); err != nil {
		return cli.Usagef("serve: --record: %w", err)
	}
	server, err := sshserver.New(sshserver.Options{
		HostKey: settings.HostKey, Access: list, Console: s.console, Command: s.command, Farewell: textServerStops,
		Limits: sshserver.Limits{Sessions: settings.Sessions, PerUser: settings.PerUser, Handshakes: settings.Handshakes, Rate: settings.Rate, Idle: settings.Idle},
		Log: func(format string, args ...any) {
			a.PrintMessage("%s "+format, append([]any{time.Now().Format(time.DateTime)}, args...)...)
		},
	})
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	opened, err := session.Open(a.Host(), cfg.Current, func(text string) { a.PrintMessage("%s", text) })
	if err != nil {
		return err
	}
	a.Opened(opened.Client, &cfg.Current)
	if flags.check {
		defer opened.Close()
		return a.checkServer(cmd.Context(), opened, server, &settings, list)
	}
	a.limitGarbage(servedGC)
	listener, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", settings.Listen)
	if err != nil {
		opened.Close()
		return fmt.Errorf("serve: %w", err)
	}
	s.endAbandoned()
	a.PrintMessage("listening on %s, host key %s", listener.Addr(), server.Fingerprint())
	return s.run(cmd.Context(), opened, server, listener)
}

// Garbage collection targets (GOGC) of a console and of a server, in percent of the live heap. Most of a console's
// memory is in use, so a smaller heap costs little time.
const (
	consoleGC = 60
	servedGC  = 25
)

// limitGarbage sets the garbage collection target, unless the environment sets it.
func (a *app) limitGarbage(percent int) {
	if a.Options.Env("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

const textServerStops = "the server is shutting down; running tasks resume when it restarts"

// run polls Ironic and serves consoles until ctx is canceled, which also ends all sessions and tasks.
func (s *consoleServer) run(ctx context.Context, opened *session.Session, server *sshserver.Server, l net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	live := opened.Live(ctx, s.audit, func(text string) { s.app.PrintMessage("%s", text) })
	s.shared = session.NewShared(live)
	var running, following sync.WaitGroup
	s.tasks = screen.NewTaskList(ctx, &running)
	var polling sync.WaitGroup
	polling.Go(func() { s.app.watchUsers(ctx, s.access, s.cfg.Console.Serve.Access.Users) })
	polling.Go(func() {
		if err := s.shared.Run(ctx); err != nil && ctx.Err() == nil {
			s.app.PrintMessage("polling ended: %v", err)
			stop()
		}
	})
	files := taskFiles{dir: s.shared.TasksDir(), printMessage: s.app.PrintMessage}
	s.tasks.KeepWith(files)
	following.Go(func() {
		s.resume(ctx)
		s.resumeTasks(ctx, files)
	})
	err := server.Serve(ctx, l)
	stop()
	following.Wait()
	running.Wait()
	polling.Wait()
	s.shared.Close(context.WithoutCancel(ctx))
	return err
}

// member returns the identity and the permissions of a session's user.
func (s *consoleServer) member(one *sshserver.Session) (*session.Member, error) {
	nodes, err := filter.Parse(one.Nodes)
	if err != nil {
		return nil, fmt.Errorf("nodes of %s: %w", one.Name, err)
	}
	return &session.Member{
		Actor:    audit.Actor{User: printable.Line(one.Name), Key: one.Fingerprint, Address: one.Address},
		ReadOnly: one.Role == access.Viewer, NoOverride: one.Role != access.Admin, Nodes: nodes,
	}, nil
}

var errNoTerminal = errors.New("the console cannot run with TERM=dumb; run a command, such as nodes")

// checkServer checks address, keys and API, and shows who may log in. It does not listen: the server may be running.
func (a *app) checkServer(ctx context.Context, opened *session.Session, server *sshserver.Server, settings *config.Serve, list *access.List) error {
	if err := checkListen(ctx, settings.Listen); err != nil {
		return cli.Usagef("serve: --listen %s: %w", settings.Listen, err)
	}
	logins, refused, authorities := list.Keys(time.Now())
	for _, err := range refused {
		a.PrintMessage("cannot log in: %v", err)
	}
	if len(logins) == 0 && authorities == 0 {
		return cli.Usagef("serve: no user can log in")
	}
	if _, err := opened.Client.Conductors(ctx); err != nil {
		return err
	}
	v, _ := opened.Client.Version()
	users := make([]string, len(logins))
	for i, l := range logins {
		if users[i] = fmt.Sprintf("%s (%s)", l.Name, l.Role); l.Nodes != "" {
			users[i] = fmt.Sprintf("%s (%s, %s)", l.Name, l.Role, l.Nodes)
		}
	}
	if authorities > 0 {
		users = append(users, "all users with certificates signed by "+strings.Join(settings.Access.UserCA, ", "))
	}
	return a.PrintOut("context %s: Ironic answers, API %s\nhost key %s: %s\nusers: %s\n",
		opened.Context.Name, v, settings.HostKey, server.Fingerprint(), strings.Join(users, ", "))
}

// checkListen returns the reason why a server could not listen on address, as far as can be told without listening.
func checkListen(ctx context.Context, address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if _, err := net.DefaultResolver.LookupPort(ctx, "tcp", port); err != nil {
		return err
	}
	if host == "" {
		return nil
	}
	_, err = net.DefaultResolver.LookupHost(ctx, host)
	return err
}

// writableFolder creates a folder if path is not "", and checks that files can be written there.
func writableFolder(path string) error {
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(path, ".check-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// usersEvery is the interval at which the users in the configuration are read again.
const usersEvery = 2 * time.Second

// watchUsers applies changes to serve.users in the configuration until ctx is canceled. The server ends the sessions
// of users whose role or nodes have changed. A change is applied only when two consecutive reads agree, because an
// editor may still be writing the file. While the configuration is invalid, the previous users remain.
func (a *app) watchUsers(ctx context.Context, list *access.List, current map[string]access.Grant) {
	options := a.Options
	options.Flags = a.Flags
	ticker := time.NewTicker(usersEvery)
	defer ticker.Stop()
	previous, problem := current, ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		hands, err := config.LoadConsoleSettings(options)
		if err != nil {
			if text := err.Error(); text != problem {
				problem = text
				a.PrintMessage("users not reloaded: %v", err)
			}
			continue
		}
		problem = ""
		users := hands.Serve.Access.Users
		if maps.Equal(users, previous) && !maps.Equal(users, current) {
			list.SetUsers(users)
			current = users
			a.PrintMessage("users reloaded from the configuration")
		}
		previous = users
	}
}
