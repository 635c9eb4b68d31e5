package cmd

import (
	"errors"

	"ironworks/config"
	"ironworks/plugin"
	"ironworks/printable"
	"ironworks/ui/action"
)

// keymap returns the console's actions, bound to the keys in the configuration file. It returns nil if the file
// defines neither keys nor plugins. The error lists all problems with their lines.
func keymap(hands config.ConsoleSettings) (*action.Keymap, error) {
	bindings := make([]action.Binding, 0, len(hands.Keys))
	at := make([]config.Position, 0, len(hands.Keys))
	for _, k := range hands.Keys {
		bindings, at = append(bindings, action.Binding{ID: action.ID(k.Action), Keys: k.Keys}), append(at, k.At)
	}
	for _, p := range hands.Plugins {
		bindings = append(bindings, action.Binding{ID: action.ID(p.Name), Keys: p.Keys, New: pluginAction(&p.Plugin)})
		at = append(at, p.At)
	}
	if len(bindings) == 0 {
		return nil, nil //nolint:nilnil // nil has the built-in keys
	}
	keys, problems := action.Bind(bindings)
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = at[p.Binding].Fault(p.Text, p.Hint)
	}
	return keys, errors.Join(errs...)
}

// pluginAction returns the console action that runs a plugin.
func pluginAction(p *plugin.Plugin) *action.Action {
	a := &action.Action{ID: action.ID(p.Name), Name: p.Name, Help: printable.Line(p.Help), Changes: p.Changes, Scope: action.Nodes}
	if len(p.Keys) > 0 {
		a.Foot = pluginFoot
	}
	switch p.Scope {
	case plugin.OnFleet:
		a.Scope = action.Fleet
	case plugin.OnNode:
		a.Scope = action.Node
	case plugin.OnNodes:
	}
	return a
}

// pluginFoot is the position of plugins in the footer: after the actions of the screen.
const pluginFoot = 40

// pluginsOf returns the plugins, keyed by the IDs of their actions.
func pluginsOf(hands config.ConsoleSettings) map[action.ID]*plugin.Plugin {
	plugins := map[action.ID]*plugin.Plugin{}
	for i := range hands.Plugins {
		p := &hands.Plugins[i].Plugin
		plugins[action.ID(p.Name)] = p
	}
	return plugins
}

// ownHands reads the settings of the console, but not the contexts, because labs and recordings need none.
func (a *app) ownHands() (config.ConsoleSettings, error) {
	opts := a.Options
	opts.Flags = a.Flags
	return config.LoadConsoleSettings(opts)
}
