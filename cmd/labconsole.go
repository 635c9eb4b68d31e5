package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/lab"
)

const labName = "lab"

// labConsole opens the console on a lab, and stops the lab when the console ends.
func (a *app) labConsole(cmd *cobra.Command, flags consoleFlags) (err error) {
	if err := a.noOtherIronic(); err != nil {
		return err
	}
	hands, err := a.ownHands()
	if err != nil {
		return err
	}
	if _, err := keymap(hands); err != nil {
		return err
	}
	options, err := flags.site.Options()
	if err != nil {
		return err
	}
	var troubles labErrors
	options.Story, options.OnError = true, troubles.add
	key, done, err := options.AllowSSH(cmd.Context())
	if err != nil {
		return err
	}
	defer done()
	site, err := lab.StartSite(cmd.Context(), options)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, site.Close())
		troubles.print(a)
	}()
	cfg, forget, err := a.labConfig(site, options.Dir)
	if err != nil {
		return err
	}
	defer forget()
	cfg.Console = hands
	if key != "" {
		cfg.Current.Logs.SSH = config.LogsSSH{Port: options.SSHPort, Keys: []string{key}, Config: "none"}
	}
	return a.openConsole(cmd, flags, cfg, nil)
}

func (a *app) noOtherIronic() error {
	f := a.Flags
	for name, value := range map[string]string{"--url": f.URL, "--context": f.Context, "--cloud": f.Cloud, "--config": f.ConfigFile, "--username": f.Username} {
		if value != "" {
			return cli.Usagef("--lab and %s cannot be combined: the lab runs its own Ironic", name)
		}
	}
	return nil
}

// labConfig returns a configuration that contains only the lab's context. It ignores configuration files and
// environment variables. Only crash files are written to their usual directory.
func (a *app) labConfig(site *lab.Site, dir string) (cfg *config.Config, done func(), err error) {
	done = func() {}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "ironworks-lab-*"); err != nil {
			return nil, done, err
		}
		folder := dir
		done = func() { _ = os.RemoveAll(folder) }
	}
	home, state := a.Options.Home, a.Options.Env("XDG_STATE_HOME")
	if state == "" && home != "" {
		state = filepath.Join(home, ".local/state")
	}
	cfg, err = config.Load(config.Options{
		Env:     func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] },
		WorkDir: dir, SystemDir: dir, Flags: config.Flags{URL: site.Ironic.URL},
	})
	if err != nil {
		done()
		return nil, func() {}, err
	}
	cfg.Current.Name, cfg.Current.Source = labName, "--lab"
	cfg.Current.BMC.Password, cfg.Current.BMC.Hosts = lab.BMCPassword, config.BMCHosts{"*"} // not a secret
	cfg.Files.State = dir
	cfg.Files.Audit = filepath.Join(dir, "audit.jsonl")
	a.Files = cfg.Files
	a.Flags.URL = site.Ironic.URL
	return cfg, done, nil
}

// labErrors collects errors of a lab until the console has left the screen.
type labErrors struct {
	mu    sync.Mutex
	texts []string
	more  int
}

const keptTroubles = 5

func (t *labErrors) add(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := err.Error()
	switch {
	case slices.Contains(t.texts, text):
	case len(t.texts) < keptTroubles:
		t.texts = append(t.texts, text)
	default:
		t.more++
	}
}

func (t *labErrors) print(a *app) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, text := range t.texts {
		a.PrintMessage("lab: %s", text)
	}
	if t.more > 0 {
		a.PrintMessage("lab: %d more errors", t.more)
	}
}
