package config

import (
	"os"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
)

// Options is everything [Load] looks at. Nothing else is read from the process, so
// a test, or a second console in the same process, gets exactly what it passes.
type Options struct {
	// Env looks a variable up and gives "" for one that is not set, as os.Getenv
	// does; nil is an empty environment.
	Env func(name string) string
	// Home is the user's home directory. Without one, ~ and the folders below it
	// are not searched.
	Home string
	// WorkDir is where relative paths of flags and variables start, and the first
	// place where clouds.yaml is looked for. Empty is the process's own.
	WorkDir string
	// SystemDir stands for /etc; empty means /etc.
	SystemDir string
	// Flags are those of the command line.
	Flags Flags
}

// Flags are the settings of the command line; zero values mean that a flag was not
// given. There is no flag for a password: the process list would show it.
type Flags struct {
	ConfigFile string        // --config: our file, instead of the usual one
	Context    string        // --context: a context of our file, or a cloud of clouds.yaml
	Cloud      string        // --cloud: a cloud of clouds.yaml
	URL        string        // --url: an Ironic without Keystone; user:password@ is allowed
	ReadOnly   *bool         // --read-only; an explicit false lifts the context's read_only
	Timeout    time.Duration // --timeout: bound of one request
	CACert     string        // --cacert: PEM file of the CA that signed the server's certificate
	Insecure   *bool         // --insecure: do not verify the server's certificate
	Username   string        // --username: for http_basic and Keystone passwords
}

// FromOS gives the options of this process: its environment, home and working
// directory. The flags are the caller's to fill in.
func FromOS() Options {
	home, _ := os.UserHomeDir() // without a home the places below it are not searched
	dir, _ := os.Getwd()        // "" makes relative paths start where the process is
	return Options{Env: os.Getenv, Home: home, WorkDir: dir}
}

// Config is what [Load] found.
type Config struct {
	// Contexts are all that are known from our file and from clouds.yaml, sorted by
	// name; one of our file hides a cloud of the same name. The broken ones are among
	// them, with their Err.
	Contexts []Context
	// Current is the selected context. It may be none of Contexts: --url, OS_*
	// variables and the guess make one of their own.
	Current Context
	// Looked is what was looked for and where, in the order of precedence, to explain
	// why Current is what it is; see [Config.LookedText].
	Looked []Place
	// Warnings are sentences for the user: nothing that stops, but worth a look.
	Warnings []string
	// Files are the paths that ironworks itself uses.
	Files Files
}

// Context is one Ironic and how the user wants to meet it.
type Context struct {
	// Name is the context's name in our file, the cloud's name in clouds.yaml,
	// "environment" for OS_* variables, and the host for a bare URL.
	Name string
	// Source is where it comes from: "/path/config.yaml:12", "/path/clouds.yaml:3",
	// "environment", "--url", "IRONWORKS_URL" or "default".
	Source string
	// Connection is how to reach it.
	Connection models.Connection
	// Accent is the colour that tells this context from others, one of [Accents] or
	// #rrggbb in lower case; empty when none was chosen. Only our file has it.
	Accent string
	// ReadOnly forbids every change.
	ReadOnly bool
	// Defaults are what lists start with. Only our file has them.
	Defaults Defaults
	// Checks are policies for the checks before a deployment, by their ids; a plan's come
	// before them. Only our file has them.
	Checks map[plan.CheckID]plan.CheckPolicy
	// Logs is how the logs of ramdisks are reached. Only our file has it.
	Logs Logs
	// Journal bounds what is kept of them. Only our file has it.
	Journal Journal
	// BMC is how the machines' controllers are asked directly. Only our file has it.
	BMC BMC
	// Guessed is true for http://127.0.0.1:6385, which is tried when nothing at all
	// is configured. When it refuses, print [Config.LookedText].
	Guessed bool
	// Err is why the context cannot be used; nil when it can.
	Err error
}

// Defaults is what a context's node list starts with; empty fields leave the choice
// to the command.
type Defaults struct {
	Columns []string `json:"columns,omitempty" yaml:"columns,omitempty"`
	Sort    string   `json:"sort,omitempty"    yaml:"sort,omitempty"`
	Filter  string   `json:"filter,omitempty"  yaml:"filter,omitempty"`
}

// Load reads the configuration and selects a context.
//
// The Config is never nil: with an error it still has Files, Looked and Warnings, so
// that `config paths` works when nothing else does. The error joins all problems
// found; they are [*FileError], [*SettingError] and [*PickError].
func Load(o Options) (*Config, error) {
	l := newLoader(o)
	c, err := l.load()
	c.Looked, c.Warnings, c.Files = l.looked, l.warnings, l.files()
	return c, err
}
