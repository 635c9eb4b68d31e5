package config

import (
	"fmt"
	"os"
	"slices"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/printable"
)

// Options are the inputs of [Load]. Load reads nothing else from the process, so that tests, and several consoles in
// one process, are isolated.
type Options struct {
	// Env returns the value of a variable, or "", like os.Getenv. If Env is nil, the environment is empty.
	Env func(name string) string
	// Home is the user's home directory. If empty, ~ and the folders below it are not searched.
	Home string
	// WorkDir is the base of relative paths in flags and variables, and the first folder to
	// search for clouds.yaml. The default is the process's working directory.
	WorkDir string
	// SystemDir replaces the folder /etc.
	SystemDir string
	// Flags are the settings of the command line.
	Flags Flags
}

// Flags are settings of the command line; zero values are unset. There is no flag for a
// password, because process lists would show it.
type Flags struct {
	ConfigFile string        // --config: the configuration file
	Context    string        // --context: a context of the configuration file, or a cloud
	Cloud      string        // --cloud: a cloud of clouds.yaml
	URL        string        // --url: an Ironic without Keystone; user:password@ is allowed
	ReadOnly   *bool         // --read-only; an explicit false overrides the context's read_only
	Timeout    time.Duration // --timeout: time limit of one request
	CACert     string        // --cacert: PEM file of the CA of the server's certificate
	Insecure   *bool         // --insecure: do not verify the server's certificate
	Username   string        // --username: for http_basic and Keystone passwords
}

// FromOS returns the environment, the home and the working directory of this process. The
// caller sets the flags.
func FromOS() Options {
	home, _ := os.UserHomeDir() // without a home, folders below it are not searched
	dir, _ := os.Getwd()        // "" keeps relative paths relative to the process's directory
	return Options{Env: os.Getenv, Home: home, WorkDir: dir}
}

// Config is the result of [Load].
type Config struct {
	// Contexts are all contexts of the configuration file and of clouds.yaml, sorted by name. Broken contexts are
	// included; they have Err. A context hides a cloud with the same name.
	Contexts []Context
	// Current is the selected context. A context from --url, OS_* variables or the default is not in Contexts.
	Current Context
	// Searched are the places that were searched, in order of precedence. They explain the selection; see
	// [Config.SearchedText].
	Searched []Place
	// Console are the settings of the console.
	Console ConsoleSettings
	// Warnings are non-fatal problems as sentences for the user.
	Warnings []string
	// Files are the paths of ironworks' own files.
	Files Files
}

// Context is an Ironic with its settings.
type Context struct {
	// Name is the context's name in the configuration file, the cloud's name in clouds.yaml,
	// "environment" for OS_* variables, or the host of a bare URL.
	Name string
	// Source is the place where the context comes from: "/path/config.yaml:12", "/path/clouds.yaml:3", "environment",
	// "--url", "IRONWORKS_URL" or "default".
	Source string
	// Connection has the settings for the connection to Ironic.
	Connection models.Connection
	// Accent is the context's color: one of [Accents], #rrggbb in lower case, or "". Only the
	// configuration file sets it.
	Accent string
	// ReadOnly forbids changes.
	ReadOnly bool
	// Defaults are the initial settings of lists. Only the configuration file sets them.
	Defaults Defaults
	// Filters are the saved filters of the configuration file, for all contexts.
	Filters *models.SavedFilters
	// Checks are policies for deployment checks by ID; a plan's policies take precedence. Only
	// the configuration file sets them.
	Checks map[plan.CheckID]plan.CheckPolicy
	// Logs configures access to ramdisk logs. Only the configuration file sets it.
	Logs Logs
	// Journal limits the journal. Only the configuration file sets it.
	Journal Journal
	// BMC configures direct connections to BMCs. Only the configuration file sets it.
	BMC BMC
	// Guessed is true for http://127.0.0.1:6385, which is the default if nothing is configured. If the connection
	// fails, print [Config.SearchedText].
	Guessed bool
	// Err is the reason why the context is unusable, or nil.
	Err error
}

// Defaults are the initial settings of a context's node list. Empty fields have the command's
// default.
type Defaults struct {
	Columns []string `json:"columns,omitempty" yaml:"columns,omitempty"`
	Sort    string   `json:"sort,omitempty"    yaml:"sort,omitempty"`
	Filter  string   `json:"filter,omitempty"  yaml:"filter,omitempty"`
}

// Load reads the configuration and selects a context.
//
// The Config is never nil: with an error it still has Files, Searched and Warnings, for `config
// paths`. The error joins all problems: [*FileError], [*SettingError] and [*PickError].
func Load(o Options) (*Config, error) {
	l := newLoader(o)
	c, err := l.load()
	c.Searched, c.Warnings, c.Files = l.searched, l.warnings, l.files()
	return c, err
}

// All returns all contexts, including the current one.
func (c *Config) All() []Context {
	named := slices.ContainsFunc(c.Contexts, func(x Context) bool { return x.Name == c.Current.Name && x.Source == c.Current.Source })
	if named || c.Current.Name == "" {
		return c.Contexts
	}
	return append([]Context{c.Current}, c.Contexts...)
}

// Find returns the context with a name, or an error. Flags and variables apply to the current
// one.
func (c *Config) Find(name string) (Context, error) {
	if name == c.Current.Name {
		return c.Current, c.Current.Err
	}
	for _, x := range c.Contexts {
		if x.Name == name {
			return x, x.Err
		}
	}
	return Context{}, fmt.Errorf("no context %q", printable.Line(name))
}

// SearchedPlaces returns the searched places, one line each.
func (c *Config) SearchedPlaces() []string {
	lines := make([]string, len(c.Searched))
	for i, p := range c.Searched {
		lines[i] = p.String()
	}
	return lines
}
