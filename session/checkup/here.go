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
	"ironworks/lab/vm"
	"ironworks/models/doctor"
	"ironworks/session"
)

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

// journalFacts inspects the context's journal, if there is one.
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
