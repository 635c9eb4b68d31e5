package cmd

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/plugin"
	"ironworks/printable"
	"ironworks/provision"
	"ironworks/ui/action"
)

// keymap returns the actions with the configured keys, or nil if there are neither keys nor plugins.
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

func (a *app) runCommand() *cobra.Command {
	flags := &cli.ActFlags{}
	cmd := &cobra.Command{
		Use: "run PLUGIN NODE…", Args: cobra.MinimumNArgs(2),
		ValidArgsFunction: a.completeRun,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runPlugin(cmd, args[0], args[1:], *flags) },
	}
	flags.Register(cmd, false)
	return cmd
}

func (a *app) runPlugin(cmd *cobra.Command, name string, names []string, flags cli.ActFlags) error {
	cfg, err := a.Load(cmd)
	if err != nil {
		return err
	}
	if _, err := keymap(cfg.Console); err != nil {
		return err
	}
	known := make([]string, len(cfg.Console.Plugins))
	for i, p := range cfg.Console.Plugins {
		known[i] = p.Name
	}
	at := slices.Index(known, name)
	switch {
	case at < 0 && len(known) == 0:
		return cli.Usagef("run: no plugins are configured; to add one, see docs/howto/plugins.md")
	case at < 0:
		return cli.Usagef("run: unknown plugin %q%s", name, cli.DidYouMean(name, known))
	}
	act := &provision.PluginAction{Plugin: cfg.Console.Plugins[at].Plugin, Selecting: selecting(cfg, &cfg.Current)}
	s, nodes, err := a.ConnectNodes(cmd, names)
	if err != nil {
		return err
	}
	defer s.Close()
	runner := s.Runner(nil)
	runner.ReadOnly = runner.ReadOnly && act.Plugin.Changes
	return a.CarryOut(cmd, s, runner, runner.Plan(act, nodes), flags)
}

func (a *app) completeRun(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return a.CompleteNodes(0)(cmd, args[1:], prefix)
	}
	cfg, _ := a.LoadConfig(cmd, false)
	var names []string
	for _, p := range cfg.Console.Plugins {
		names = append(names, p.Name+"\t"+p.Help)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
