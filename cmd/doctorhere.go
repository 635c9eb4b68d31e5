package cmd

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"ironworks/agentlog"
	"ironworks/config"
	"ironworks/lab/vm"
	"ironworks/models/doctor"
	"ironworks/session"
)

// keysTime is how long ssh-agent may take to tell its keys.
const keysTime = 3 * time.Second

// doctorHere gathers what this machine has for a deployment. Nothing is made.
func (a *app) doctorHere(ctx context.Context, cfg *config.Config) doctor.Here {
	x := &cfg.Current
	here := doctor.Here{
		BMCUser:     cmp.Or(a.variable(session.EnvBMCUsername), x.BMC.Username),
		BMCPassword: a.variable(session.EnvBMCPassword) != "" || x.BMC.Password.IsSet(),
		BMCKeyring:  config.SystemKeyring(a.variable) != nil,
		Named:       x.Logs.SSH.Keys, Audit: cfg.Files.Audit, Terminal: a.terminalFacts(), Journal: a.journalFacts(ctx, cfg),
	}
	short, cancel := context.WithTimeout(ctx, keysTime)
	defer cancel()
	ssh := agentlog.SSHOptions{Keys: x.Logs.SSH.Keys, Home: a.options.Home, Agent: a.sshAgent()}
	here.Keys, here.KeyNotes = ssh.CountKeys(short)
	here.AuditNew, here.AuditError = writable(cfg.Files.Audit)
	if _, err := vm.FindPrograms(vm.HostOptions{}); err != nil {
		here.VMsMissing = err.Error()
	} else {
		here.NoKVM = vm.OpenKVM("")
	}
	return here
}

// variable is one of the environment; "" where there is none.
func (a *app) variable(name string) string {
	if a.options.Env == nil {
		return ""
	}
	return a.options.Env(name)
}

// writable says whether a file could be written, without touching it: one that is new
// needs a folder above it in which something can be made.
func writable(path string) (isNew bool, problem string) {
	if path == "" {
		return true, "there is no folder for it: HOME or XDG_STATE_HOME says where"
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
			return true, folder + " is no folder"
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

// journalFacts looks into the context's journal, if there is one.
func (a *app) journalFacts(ctx context.Context, cfg *config.Config) doctor.JournalFacts {
	facts := doctor.JournalFacts{Path: cfg.Files.Journal(cfg.Current.Name)}
	if facts.Path == "" {
		if cfg.Files.State != "" {
			facts.Path, facts.Error = cfg.Files.State, "without a context there is none"
		}
		return facts
	}
	host := a.host()
	kept := host.Journal(ctx, &cfg.Current, nil)
	defer kept.Close()
	info, err := kept.Info(ctx)
	facts.Bytes, facts.MaxSize, facts.MaxAge, facts.Dropped = info.Bytes, info.MaxSize, time.Duration(info.MaxAge)*time.Second, info.Dropped
	if err != nil {
		facts.Error = err.Error()
		return facts
	}
	_, facts.Error = writable(facts.Path)
	return facts
}

// terminalFacts are what the terminal says of itself, as the console would find it.
func (a *app) terminalFacts() doctor.TerminalFacts {
	t := doctor.TerminalFacts{Term: a.variable("TERM"), UTF8: a.utf8Locale()}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := a.variable(name); value != "" {
			t.Locale = name + "=" + value
			break
		}
	}
	switch {
	case a.variable("NO_COLOR") != "":
		t.Colours = "no colours (NO_COLOR)"
	case a.variable("COLORTERM") == "truecolor", a.variable("COLORTERM") == "24bit":
		t.Colours = "all colours"
	case strings.Contains(t.Term, "256color"):
		t.Colours = "256 colours"
	case t.Term == "" || t.Term == "dumb":
		t.Colours = "no colours"
	default:
		t.Colours = "16 colours"
	}
	if f, is := a.stdout.(*os.File); is {
		if width, height, err := term.GetSize(int(f.Fd())); err == nil { //nolint:gosec // file descriptors are small
			t.Is, t.Width, t.Height = true, width, height
		}
	}
	return t
}

// utf8Locale says that the first locale variable that is set, which is the one that counts,
// names UTF-8. Where none is set nothing speaks against it.
func (a *app) utf8Locale() bool {
	locale := strings.ToUpper(cmp.Or(a.variable("LC_ALL"), a.variable("LC_CTYPE"), a.variable("LANG")))
	return locale == "" || strings.Contains(locale, "UTF-8") || strings.Contains(locale, "UTF8")
}
