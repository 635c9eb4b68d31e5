package config

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"ironworks/printable"
)

// Files holds the paths of ironworks' own files. Paths below the home directory are empty if neither the home
// directory nor the XDG variable is set.
type Files struct {
	Config  string // the configuration file
	State   string // folder for persistent state: the audit log, the journals
	Audit   string // log of all actions, one JSON object per line
	Crashes string // folder of crash reports
	Cache   string // folder for data that can be downloaded again
	// Clouds and Secure are the paths of the OpenStack clients' files in use. They are empty if there is no such
	// file.
	Clouds string
	Secure string
}

// Place is a place that was searched, or the path of one of ironworks' files.
type Place struct {
	What  string `json:"what"`           // "config file", "clouds.yaml", "--url", "OS_CLOUD"
	Path  string `json:"path,omitempty"` // "" for flags and variables
	Found bool   `json:"found"`
	// Note contains details, for example the reason why an existing file is unusable.
	Note string `json:"note,omitempty"`
}

// String returns one line with the place and the result of the search there.
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

// SearchedText lists the searched places, one per line, with advice if nothing is configured. Print it if the default
// address does not respond.
func (c *Config) SearchedText() string {
	var b strings.Builder
	if c.Current.Guessed {
		fmt.Fprintf(&b, "No Ironic is configured, so %s was tried. Searched:\n", c.Current.Connection.Endpoint)
	} else {
		b.WriteString("Searched:\n")
	}
	for _, p := range c.Searched {
		fmt.Fprintf(&b, "  %s\n", p)
	}
	if c.Current.Guessed {
		b.WriteString("Set the URL of Ironic with --url http://HOST:6385, or with a context in the configuration file.\n" +
			"ironworks --lab opens the console on simulated machines and needs no Ironic.\n")
	}
	return b.String()
}

// Journal returns the path of the journal of the named context. It is empty if there is no folder for state or no
// context. The name may contain any characters; it can be a URL, for example.
func (f *Files) Journal(context string) string {
	if f.State == "" || context == "" {
		return ""
	}
	return filepath.Join(f.State, "journal-"+url.PathEscape(context)+".db")
}

// View returns the path of the file that stores the view state of the named context. It is empty in the same cases as
// the result of [Files.Journal].
func (f *Files) View(context string) string {
	if f.State == "" || context == "" {
		return ""
	}
	return filepath.Join(f.State, "view-"+url.PathEscape(context)+".json")
}

// JournalContext returns the name of the context whose journal has the given path.
func JournalContext(path string) string {
	name, is := strings.CutPrefix(strings.TrimSuffix(filepath.Base(path), ".db"), "journal-")
	if context, err := url.PathUnescape(name); is && err == nil {
		return context
	}
	return filepath.Base(path)
}

// Pushes returns the folder for the journals that ramdisks push and for the tokens in ramdisk images. It is empty if
// there is no folder for state.
func (f *Files) Pushes() string {
	if f.State == "" {
		return ""
	}
	return filepath.Join(f.State, "push")
}

// Paths returns ironworks' files and folders for `config paths`, and reports which of them exist.
func (c *Config) Paths() []Place {
	f := c.Files
	places := []Place{
		{What: "config", Path: f.Config},
		{What: "clouds", Path: f.Clouds},
		{What: "secure", Path: f.Secure},
		{What: "audit", Path: f.Audit},
		{What: "journal", Path: f.Journal(c.Current.Name)},
		{What: "view", Path: f.View(c.Current.Name)},
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

// configPath returns the path of the configuration file. named describes which flag or variable set the path; it is
// empty for the default path.
func (l *loader) configPath() (path, named string) {
	if p := l.Flags.ConfigFile; p != "" {
		return l.fromWorkDir(p), "set by --config"
	}
	if p := l.Env("IRONWORKS_CONFIG"); p != "" {
		return l.fromWorkDir(p), "set by IRONWORKS_CONFIG"
	}
	return l.xdg("XDG_CONFIG_HOME", ".config", "ironworks/config.yaml"), ""
}

// xdg returns a path below an XDG base directory (https://specifications.freedesktop.org/basedir-spec/latest/). It
// returns "" if neither the variable nor the home directory is set. A relative value of the variable is ignored, as
// the specification requires.
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
