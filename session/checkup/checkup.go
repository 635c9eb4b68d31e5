// Package checkup collects facts about the configuration, this machine and Ironic. [ironworks/models/doctor]
// evaluates them.
package checkup

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ironworks/agentlog"
	"ironworks/config"
	"ironworks/ironicclient"
	"ironworks/lab/vm"
	"ironworks/models"
	"ironworks/models/doctor"
	"ironworks/provision/images"
	"ironworks/session"
	"ironworks/wire"
)

// maxAnswer is the maximum size, in bytes, of a response from an unknown server.
const maxAnswer = 1 << 20

// Facts collects all facts: first those about this machine, then those about Ironic and the nodes listed in names. It
// changes nothing. configErr is the error from reading the configuration, or nil. say is called with progress
// messages.
func Facts(ctx context.Context, h *session.Host, cfg *config.Config, configErr error, names []string, say func(string)) *doctor.Facts {
	x := &cfg.Current
	h.MaskContext(x)
	f := &doctor.Facts{Now: time.Now(), Auth: x.Connection.Auth, Config: configFacts(cfg, configErr), Local: localFacts(ctx, h, cfg)}
	if configErr != nil {
		return f
	}
	asked := *x
	asked.ReadOnly = true
	s, err := session.Open(*h, asked, func(string) {})
	if err != nil {
		f.Config.Problems = problems(err)
		return f
	}
	defer s.Close()
	ironic := gatherer{
		api: s.Client, connection: x.Connection, web: images.NewWeb(), say: say,
		reach: func(ctx context.Context, target, what string) models.Reach {
			timeout := cmp.Or(x.Connection.Timeout, ironicclient.DefaultTimeout)
			return wire.Reach(ctx, wire.Options{TLS: x.Connection.TLS, Timeout: timeout, Largest: maxAnswer}, target, what)
		},
	}
	ironic.gather(ctx, f, names)
	return f
}

func configFacts(cfg *config.Config, err error) doctor.Config {
	x := &cfg.Current
	c := doctor.Config{
		Context: x.Name, Source: x.Source, Guessed: x.Guessed, Problems: problems(err), Warnings: cfg.Warnings,
		ReadOnly: x.ReadOnly, MaxMinor: x.Connection.MaxMinor, User: x.Connection.Username, TLS: x.Connection.TLS,
		Endpoint: models.MaskURL(x.Connection.Endpoint),
	}
	if x.Connection.Auth.Keystone() && c.Endpoint == "" {
		c.Endpoint = models.MaskURL(x.Connection.Keystone.AuthURL)
	}
	if x.Guessed {
		c.Searched = cfg.SearchedPlaces()
	}
	return c
}

func problems(err error) []string {
	if err == nil {
		return nil
	}
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return []string{err.Error()}
	}
	var all []string
	for _, e := range joined.Unwrap() {
		all = append(all, problems(e)...)
	}
	return all
}

// keysTimeout bounds the wait for ssh-agent's list of keys.
const keysTimeout = 3 * time.Second

// localFacts collects the facts about this machine that a deployment depends on. It creates nothing.
func localFacts(ctx context.Context, h *session.Host, cfg *config.Config) doctor.LocalFacts {
	x := &cfg.Current
	found := doctor.LocalFacts{
		BMCUser:     cmp.Or(h.Variable(session.EnvBMCUsername), x.BMC.Username),
		BMCPassword: h.Variable(session.EnvBMCPassword) != "" || x.BMC.Password.IsSet(),
		BMCKeyring:  config.SystemKeyring(h.Variable) != nil,
		Named:       x.Logs.SSH.Keys, Audit: cfg.Files.Audit, Terminal: doctor.TerminalOf(h.Variable), Journal: journalFacts(ctx, h, cfg),
	}
	short, cancel := context.WithTimeout(ctx, keysTimeout)
	defer cancel()
	ssh := agentlog.SSHOptions{Keys: x.Logs.SSH.Keys, Home: h.Home, Agent: h.Variable("SSH_AUTH_SOCK")}
	found.Keys, found.KeyNotes = ssh.CountKeys(short)
	found.AuditNew, found.AuditError = writable(cfg.Files.Audit)
	if _, err := vm.FindPrograms(vm.HostOptions{}); err != nil {
		found.VMsMissing = err.Error()
	} else {
		found.NoKVM = vm.OpenKVM("")
	}
	return found
}

// writable returns the reason why the file at path cannot be written, or "" if it can. It does not create or change
// anything. If the file does not exist, isNew is true, and the nearest existing folder above it must be writable.
func writable(path string) (isNew bool, problem string) {
	if path == "" {
		return true, "no directory: set HOME or XDG_STATE_HOME"
	}
	err := unix.Access(path, unix.W_OK)
	if !errors.Is(err, fs.ErrNotExist) {
		return false, accessProblem(path, err)
	}
	folder := filepath.Dir(path)
	for {
		info, err := os.Stat(folder)
		switch parent := filepath.Dir(folder); {
		case err == nil && !info.IsDir():
			return true, folder + " is not a directory"
		case err == nil:
			return true, accessProblem(folder, unix.Access(folder, unix.W_OK|unix.X_OK))
		case !errors.Is(err, fs.ErrNotExist) || parent == folder:
			return true, err.Error()
		default:
			folder = parent
		}
	}
}

func accessProblem(path string, err error) string {
	if err == nil {
		return ""
	}
	return path + ": " + err.Error()
}

func journalFacts(ctx context.Context, h *session.Host, cfg *config.Config) doctor.JournalFacts {
	facts := doctor.JournalFacts{Path: cfg.Files.Journal(cfg.Current.Name)}
	if facts.Path == "" {
		if cfg.Files.State != "" {
			facts.Path, facts.Error = cfg.Files.State, "no context"
		}
		return facts
	}
	j := h.Journal(ctx, &cfg.Current, nil)
	defer j.Close()
	info, err := j.Info(ctx)
	facts.Bytes, facts.MaxSize, facts.MaxAge, facts.Dropped = info.Bytes, info.MaxSize, time.Duration(info.MaxAge)*time.Second, info.Dropped
	if err != nil {
		facts.Error = err.Error()
		return facts
	}
	_, facts.Error = writable(facts.Path)
	return facts
}
