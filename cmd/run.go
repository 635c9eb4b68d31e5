package cmd

import (
	"slices"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/plugin"
	"ironworks/provision"
)

// runCommand returns the command that runs a plugin from the configuration file.
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
	act := &provision.PluginAction{Plugin: cfg.Console.Plugins[at].Plugin, Context: plugin.Context{Name: cfg.Current.Name, Options: selecting(cfg, &cfg.Current)}}
	s, nodes, err := a.ConnectNodes(cmd, names)
	if err != nil {
		return err
	}
	defer s.Close()
	runner := s.Runner(nil)
	runner.ReadOnly = runner.ReadOnly && act.Plugin.Changes
	return a.CarryOut(cmd, s, runner, runner.Plan(act, nodes), flags)
}

// completeRun completes the name of the plugin, then the names of nodes.
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
