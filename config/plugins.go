package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/plugin"
)

// Plugin is a custom command for the console. This package does not check the names of the plugin's keys; the console
// does.
type Plugin struct {
	plugin.Plugin
	// At is the position of the plugin's name.
	At Position
}

// consents maps the values of the confirm key to the confirmation that a plugin requires from the user.
var consents = map[string]models.Consent{"none": models.ConsentNone, "y": models.ConsentYes, "name": models.ConsentTyped}

func (f *ourFile) readPlugins(n *node, home string) {
	if err := wantMapping.check(n, "plugins"); err != nil {
		f.errs = append(f.errs, err)
		return
	}
	for _, e := range n.entries {
		at := origin{file: f.path, line: e.line, column: e.column, key: join("plugins", e.name)}
		if problem := plugin.CheckName(e.name); problem != "" {
			f.errs = append(f.errs, at.fault(fmt.Sprintf("invalid name %q", e.name), problem, nil))
			continue
		}
		p, errs := readPlugin(e.name, e.value, at)
		if len(errs) > 0 {
			f.errs = append(f.errs, errs...)
			continue
		}
		if strings.Contains(p.Args[0], "/") || strings.HasPrefix(p.Args[0], "~") {
			p.Args[0] = expandPath(p.Args[0], home, filepath.Dir(f.path))
		}
		f.console.Plugins = append(f.console.Plugins, Plugin{Plugin: p, At: Position{at}})
	}
}

// readPlugin reads one plugin from n. Unless configured otherwise, a plugin is assumed to change something and
// requires the answer y.
func readPlugin(name string, n *node, at origin) (plugin.Plugin, []error) {
	p := plugin.Plugin{Name: name, Scope: plugin.OnNodes, Changes: true, Pause: true}
	var errs []error
	s := sectionOf(n, at.key, map[string]valueType{
		"help": wantText, "key": wantAny, "scope": wantText, "command": wantTextList, "confirm": wantText,
		"changes": wantBool, "background": wantBool, "pause": wantBool,
	}, "", "", &errs)
	if n := s.good["key"]; n != nil {
		keys, err := readKeyNames(n, join(at.key, "key"))
		if p.Keys = keys; err != nil {
			errs = append(errs, err)
		}
	}
	if n := s.good["scope"]; n != nil {
		if p.Scope = plugin.Scope(n.text); !slices.Contains(plugin.Scopes(), p.Scope) {
			s.fail(n, "scope", fmt.Sprintf("unknown scope %q", n.text), "use nodes, fleet or node")
		}
	}
	for key, to := range map[string]*bool{"changes": &p.Changes, "background": &p.Background, "pause": &p.Pause} {
		if n := s.good[key]; n != nil {
			*to, _ = parseBool(n.text)
		}
	}
	if p.Background && s.good["pause"] != nil {
		s.fail(s.good["pause"], "pause", "cannot be combined with background", "remove one of them")
	}
	if p.Changes {
		p.Consent = models.ConsentYes
	}
	if n := s.good["confirm"]; n != nil {
		consent, known := consents[n.text]
		if p.Consent = consent; !known {
			s.fail(n, "confirm", fmt.Sprintf("unknown confirmation %q", n.text), "use none, y or name")
		}
	}
	command := s.good["command"]
	switch {
	case command == nil:
		if n.get("command") == nil {
			errs = append(errs, at.fault("has no command", "set command: [PROGRAM, ARGUMENT, …]", nil))
		}
		return p, errs
	case len(command.items) == 0:
		s.fail(command, "command", "names no program", "use [PROGRAM, ARGUMENT, …]")
		return p, errs
	}
	for _, item := range command.items {
		p.Args = append(p.Args, item.text)
	}
	if i, problem, hint := plugin.CheckArgs(p.Args); problem != "" {
		s.fail(command.items[i], fmt.Sprintf("command[%d]", i), problem, hint)
	}
	if p.Help = s.text("help"); s.good["help"] == nil {
		p.Help = "run " + strings.Join(p.Args, " ")
	}
	return p, errs
}

// ShownPlugin is a plugin in the output of `config show`; see [Shown].
type ShownPlugin struct {
	Keys       []string `json:"keys,omitempty"`
	Help       string   `json:"help"`
	Scope      string   `json:"scope"`
	Command    []string `json:"command"`
	Confirm    string   `json:"confirm"`
	Changes    bool     `json:"changes"`
	Background bool     `json:"background,omitempty"`
}

// showPlugins maps the names of plugins to the form that `config show` writes.
func (h ConsoleSettings) showPlugins() map[string]ShownPlugin {
	if len(h.Plugins) == 0 {
		return nil
	}
	words := map[models.Consent]string{}
	for word, consent := range consents {
		words[consent] = word
	}
	shown := map[string]ShownPlugin{}
	for _, p := range h.Plugins {
		shown[p.Name] = ShownPlugin{
			Keys: p.Keys, Help: p.Help, Scope: string(p.Scope), Command: p.Args, Confirm: words[p.Consent], Changes: p.Changes, Background: p.Background,
		}
	}
	return shown
}
