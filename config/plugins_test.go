package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/plugin"
)

// loadPlugins loads a configuration file with the given text in its plugins section.
func loadPlugins(t *testing.T, text string) (home string, plugins []Plugin, err error) {
	t.Helper()
	home = t.TempDir()
	path := filepath.Join(home, "config.yaml")
	if err := os.WriteFile(path, []byte("plugins:\n"+text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hands, err := LoadConsoleSettings(Options{Home: home, WorkDir: home, SystemDir: home, Flags: Flags{ConfigFile: path}})
	return home, hands.Plugins, err
}

func TestPlugins(t *testing.T) {
	t.Parallel()
	home, got, err := loadPlugins(t, `  ping:
    help: ping the BMC
    key: f6
    command: [ping, -c, "3", "{bmc}"]
    changes: false
    background: true
  console:
    key: [f7, alt+c]
    scope: node
    command: [./bin/console, "{bmc_url}"]
    confirm: name
    pause: false
  bare:
    command: [~/bin/bare]`)
	if err != nil || len(got) != 3 {
		t.Fatalf("%v %v", got, err)
	}
	for i, want := range []plugin.Plugin{
		{Name: "ping", Help: "ping the BMC", Keys: []string{"f6"}, Scope: plugin.OnNodes, Args: []string{"ping", "-c", "3", "{bmc}"}, Background: true, Pause: true},
		{Name: "console", Help: "run ./bin/console {bmc_url}", Keys: []string{"f7", "alt+c"}, Scope: plugin.OnNode, Args: []string{filepath.Join(home, "bin/console"), "{bmc_url}"}, Consent: models.ConsentTyped, Changes: true},
		{Name: "bare", Help: "run ~/bin/bare", Scope: plugin.OnNodes, Args: []string{filepath.Join(home, "bin/bare")}, Consent: models.ConsentYes, Changes: true, Pause: true},
	} {
		if !reflect.DeepEqual(got[i].Plugin, want) {
			t.Errorf("%+v, want %+v", got[i].Plugin, want)
		}
	}
	if fault := got[1].At.Fault("is wrong", "").Error(); !strings.Contains(fault, "config.yaml:8:3: plugins.console: is wrong") {
		t.Errorf("%q", fault)
	}
}

func TestPluginErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"no command":          {"  p: {key: f6}", "config.yaml:2:3: plugins.p: has no command (set command: [PROGRAM, ARGUMENT, …])"},
		"a shell string":      {"  p: {command: ping host}", "config.yaml:2:16: plugins.p.command: must be a list of strings, but is text (use [a, b])"},
		"empty command":       {"  p: {command: []}", "config.yaml:2:16: plugins.p.command: names no program"},
		"unknown field":       {"  p: {command: [ping, '{bcm}']}", "config.yaml:2:23: plugins.p.command[1]: unknown field {bcm} (did you mean {bmc}?)"},
		"field in a script":   {"  p: {command: [sh, -c, 'ping {bmc}']}", `config.yaml:2:25: plugins.p.command[2]: a shell would run the contents of {bmc} (use "$IRONWORKS_NODE_BMC" in the script)`},
		"unknown scope":       {"  p: {command: [x], scope: rack}", `config.yaml:2:28: plugins.p.scope: unknown scope "rack" (use nodes, fleet or node)`},
		"unknown consent":     {"  p: {command: [x], confirm: always}", `config.yaml:2:30: plugins.p.confirm: unknown confirmation "always" (use none, y or name)`},
		"unknown key":         {"  p: {comand: [x]}", "config.yaml:2:7: plugins.p.comand: unknown key (did you mean command?)"},
		"a bad name":          {"  My Plugin: {command: [x]}", `config.yaml:2:3: plugins.My Plugin: invalid name "My Plugin" (a name has up to 30 lower-case letters`},
		"a list":              {"  - command: [x]", "config.yaml:2:3: plugins: must be a mapping"},
		"pause in background": {"  p: {command: [x], background: true, pause: true}", "config.yaml:2:46: plugins.p.pause: cannot be combined with background (remove one of them)"},
		"changes":             {"  p: {command: [x], changes: maybe}", "config.yaml:2:30: plugins.p.changes: must be true or false, but is text"},
		"key of a mapping":    {"  p: {command: [x], key: {a: b}}", "config.yaml:2:26: plugins.p.key: must be a key or a list of keys, but is a mapping"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, got, err := loadPlugins(t, test.text)
			if err == nil || !strings.Contains(err.Error(), test.want) || len(got) > 0 {
				t.Errorf("%v %v, want %q", got, err, test.want)
			}
		})
	}
}
