package config

import (
	"fmt"
	"os"
	"slices"
	"time"

	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/models/plan"
	"ironworks/printable"
)

// Options holds the inputs of [Load]. Load uses no other process state, so that tests or several consoles in one
// process do not affect one another.
type Options struct {
	// Env returns the value of a variable. Like os.Getenv, it returns "" if the variable is not set. If Env is nil,
	// the environment is empty.
	Env func(name string) string
	// Home is the user's home directory. If it is empty, ~ is not expanded, and folders below the home directory are
	// not searched.
	Home string
	// WorkDir is the base of relative paths in flags and variables, and the first folder to
	// search for clouds.yaml. The default is the process's working directory.
	WorkDir string
	// SystemDir is used instead of /etc, unless it is empty.
	SystemDir string
	// Flags holds the settings from the command line.
	Flags Flags
}

// Flags holds settings from the command line; zero values are unset. There is no flag for a password, because process
// listings would reveal it.
type Flags struct {
	ConfigFile string        // --config: the configuration file
	Context    string        // --context: a context of the configuration file, or a cloud
	Cloud      string        // --cloud: a cloud in clouds.yaml
	URL        string        // --url: address of an Ironic without Keystone; may contain user:password@
	ReadOnly   *bool         // --read-only; an explicit false overrides the context's read_only
	Timeout    time.Duration // --connect-timeout: time limit of one request
	CACert     string        // --cacert: PEM file of the CA of the server's certificate
	Insecure   *bool         // --insecure: do not verify the server's certificate
	Username   string        // --username: for http_basic and Keystone passwords
}

// FromOS returns Options with the environment, the home directory and the working directory of this process. The
// caller sets the flags.
func FromOS() Options {
	home, _ := os.UserHomeDir() // without a home, folders below it are not searched
	dir, _ := os.Getwd()        // if empty, relative paths are relative to the process's directory
	return Options{Env: os.Getenv, Home: home, WorkDir: dir}
}

// Config is the configuration that [Load] returns.
type Config struct {
	// Contexts lists all contexts in the configuration file and in clouds.yaml, sorted by name. It includes broken
	// contexts, whose Err is set. A context hides a cloud with the same name.
	Contexts []Context
	// Current is the selected context. If it comes from --url, from OS_* variables or from the default, it is not in
	// Contexts.
	Current Context
	// Searched lists the places that were searched, in order of precedence. It explains the selection; see
	// [Config.SearchedText].
	Searched []Place
	// Console holds the settings of the console.
	Console ConsoleSettings
	// Warnings lists non-fatal problems, as sentences for the user.
	Warnings []string
	// Files holds the paths of ironworks' own files.
	Files Files
}

// Context describes an Ironic to connect to, with all settings for it.
type Context struct {
	// Name is the context's name in the configuration file, the cloud's name in clouds.yaml,
	// "environment" for OS_* variables, or the host of a bare URL.
	Name string
	// Source is the place where the context comes from: "/path/config.yaml:12", "/path/clouds.yaml:3", "environment",
	// "--url", "IRONWORKS_URL" or "default".
	Source string
	// Connection holds the settings for the connection to Ironic.
	Connection models.Connection
	// Accent is the context's color: a color name, #rrggbb in lower case, or "". It can be set only in the
	// configuration file.
	Accent string
	// ReadOnly reports whether changes are forbidden.
	ReadOnly bool
	// Defaults holds the initial settings of node lists. They can be set only in the configuration file.
	Defaults Defaults
	// Filters holds the saved filters from the configuration file. All contexts share them.
	Filters *filter.Saved
	// Checks maps the IDs of deployment checks to policies. A plan's policies take precedence. Checks can be set only
	// in the configuration file.
	Checks map[plan.CheckID]plan.CheckPolicy
	// Logs configures access to ramdisk logs. It can be set only in the configuration file.
	Logs Logs
	// Journal limits the size and age of the journal. It can be set only in the configuration file.
	Journal Journal
	// BMC configures direct connections to BMCs. It can be set only in the configuration file.
	BMC BMC
	// Guessed reports whether the endpoint is the default, http://127.0.0.1:6385, because nothing is configured. If
	// the connection fails, print [Config.SearchedText].
	Guessed bool
	// Err is the reason why the context is unusable, or nil.
	Err error
}

// Defaults holds the initial settings of a context's node list. Each command has its own default for empty fields.
type Defaults struct {
	Columns []string `json:"columns,omitempty"`
	Sort    string   `json:"sort,omitempty"`
	Filter  string   `json:"filter,omitempty"`
}

// Load reads the configuration and selects a context.
//
// The Config is never nil: even if Load fails, it contains Files, Searched and Warnings, which `config paths` prints.
// The error joins all problems, each a [*FileError], a [*SettingError] or a [*PickError].
func Load(o Options) (*Config, error) {
	l := newLoader(o)
	c, err := l.load()
	c.Searched, c.Warnings, c.Files = l.searched, l.warnings, l.files()
	return c, err
}

// All returns all contexts, including the current one even if it is not in Contexts.
func (c *Config) All() []Context {
	named := slices.ContainsFunc(c.Contexts, func(x Context) bool { return x.Name == c.Current.Name && x.Source == c.Current.Source })
	if named || c.Current.Name == "" {
		return c.Contexts
	}
	return append([]Context{c.Current}, c.Contexts...)
}

// Find returns the context with the given name, or an error if it is unknown or unusable. Flags and environment
// variables that change the settings of a context apply only if name is the current context.
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

// SearchedPlaces describes the searched places, each on one line.
func (c *Config) SearchedPlaces() []string {
	lines := make([]string, len(c.Searched))
	for i, p := range c.Searched {
		lines[i] = p.String()
	}
	return lines
}
