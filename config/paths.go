package config

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"ironworks/printable"
)

// Files are the paths that ironworks itself uses. Those below the home directory are
// empty when there is neither a home nor the XDG variable.
type Files struct {
	Config  string // our configuration file
	State   string // folder of what is kept from run to run: the audit, the journals
	Audit   string // every action that was taken, one JSON object a line
	Crashes string // folder of crash reports
	Cache   string // folder of what can be fetched again
	// Clouds and Secure are the files of the OpenStack clients that were read; empty
	// when there are none.
	Clouds string
	Secure string
}

// Place is something that was looked for, or that ironworks uses.
type Place struct {
	What  string `json:"what"           yaml:"what"`           // "our file", "clouds.yaml", "--url", "OS_CLOUD"
	Path  string `json:"path,omitempty" yaml:"path,omitempty"` // empty for flags and variables
	Found bool   `json:"found"          yaml:"found"`
	// Note says more, such as why a file that is there cannot be used.
	Note string `json:"note,omitempty" yaml:"note,omitempty"`
}

// String is the place in one line.
func (p Place) String() string {
	state := "found"
	switch {
	case p.Note != "":
		state = p.Note
	case p.Found && p.Path == "":
		state = "set"
	case p.Path == "":
		state = "not set"
	case !p.Found:
		state = "not found"
	}
	where := p.What
	if p.Path != "" {
		where += " " + p.Path
	}
	return printable.Line(fmt.Sprintf("%s: %s", where, state))
}

// LookedText says what was looked for and where, a line each, to print when the
// guessed address does not answer.
func (c *Config) LookedText() string {
	var b strings.Builder
	if c.Current.Guessed {
		fmt.Fprintf(&b, "No Ironic is configured, so %s was tried. Searched:\n", c.Current.Connection.Endpoint)
	} else {
		b.WriteString("Searched:\n")
	}
	for _, p := range c.Looked {
		fmt.Fprintf(&b, "  %s\n", p)
	}
	if c.Current.Guessed {
		b.WriteString("Set an Ironic with --url http://HOST:6385, or with a context in the configuration file.\n" +
			"ironworks --lab opens the console on simulated machines and needs no Ironic.\n")
	}
	return b.String()
}

// Journal is the file of what happened under a context, or "" where there is no folder
// for it or no context. Names may hold anything, such as the address of an Ironic.
func (f *Files) Journal(context string) string {
	if f.State == "" || context == "" {
		return ""
	}
	return filepath.Join(f.State, "journal-"+url.PathEscape(context)+".db")
}

// JournalContext is the context whose journal a file is, by its name.
func JournalContext(path string) string {
	name, is := strings.CutPrefix(strings.TrimSuffix(filepath.Base(path), ".db"), "journal-")
	if context, err := url.PathUnescape(name); is && err == nil {
		return context
	}
	return filepath.Base(path)
}

// Pushes is the folder of the journals that machines send, and of what is known of the
// images whose machines may; "" where there is no folder for it.
func (f *Files) Pushes() string {
	if f.State == "" {
		return ""
	}
	return filepath.Join(f.State, "push")
}

// Paths are the files and folders that ironworks uses and whether they exist, for
// `config paths`.
func (c *Config) Paths() []Place {
	f := c.Files
	places := []Place{
		{What: "config", Path: f.Config},
		{What: "clouds", Path: f.Clouds},
		{What: "secure", Path: f.Secure},
		{What: "audit", Path: f.Audit},
		{What: "journal", Path: f.Journal(c.Current.Name)},
		{What: "crashes", Path: f.Crashes},
		{What: "cache", Path: f.Cache},
	}
	for i := range places {
		p := &places[i]
		if p.Path == "" {
			p.Note = "none"
		} else if _, err := os.Stat(p.Path); err == nil {
			p.Found = true
		}
	}
	return places
}

func (l *loader) files() Files {
	f := Files{
		State:   l.xdg("XDG_STATE_HOME", ".local/state", "ironworks"),
		Audit:   l.xdg("XDG_STATE_HOME", ".local/state", "ironworks/audit.jsonl"),
		Crashes: l.xdg("XDG_STATE_HOME", ".local/state", "ironworks/crashes"),
		Cache:   l.xdg("XDG_CACHE_HOME", ".cache", "ironworks"),
	}
	f.Config, _ = l.configPath()
	if l.clouds != nil {
		f.Clouds, f.Secure = l.clouds.path, l.clouds.secure
	}
	return f
}

// configPath is where our file is, and who named it if it is not the usual place.
func (l *loader) configPath() (path, named string) {
	if p := l.Flags.ConfigFile; p != "" {
		return l.fromWorkDir(p), "--config names it"
	}
	if p := l.Env("IRONWORKS_CONFIG"); p != "" {
		return l.fromWorkDir(p), "IRONWORKS_CONFIG names it"
	}
	return l.xdg("XDG_CONFIG_HOME", ".config", "ironworks/config.yaml"), ""
}

// xdg is a path below one of the XDG base directories
// (https://specifications.freedesktop.org/basedir-spec/latest/), or "" when there is
// neither the variable nor a home. As the specification asks, relative values of the
// variable are ignored.
func (l *loader) xdg(variable, belowHome, path string) string {
	if dir := l.Env(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, path)
	}
	if l.Home == "" {
		return ""
	}
	return filepath.Join(l.Home, belowHome, path)
}

func (l *loader) fromWorkDir(path string) string { return expandPath(path, l.Home, l.WorkDir) }
