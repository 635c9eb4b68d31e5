package actions

import (
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/provision"
)

func (a *app) powerCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "power on|off|soft-off|reboot|soft-reboot NODE…"}
	targets := []struct {
		name   string
		target models.PowerTarget
	}{
		{"on", models.TargetOn},
		{"off", models.TargetOff},
		{"soft-off", models.TargetSoftOff},
		{"reboot", models.TargetReboot},
		{"soft-reboot", models.TargetSoftReboot},
	}
	for _, t := range targets {
		var flags cli.ActFlags
		sub := &cobra.Command{
			Use: t.name + " NODE…", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.CompleteNodes(0),
			RunE: func(cmd *cobra.Command, args []string) error {
				return a.Act(cmd, provision.Power(t.target), args, flags)
			},
		}
		flags.Register(sub, true)
		cmd.AddCommand(sub)
	}
	return cli.NeedsSubcommand(cmd)
}

func (a *app) maintenanceCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "maintenance on|off NODE…"}
	cmd.AddCommand(
		a.flagCommand("on", "maintenance reason, shown with the node", true, provision.Maintenance),
		a.flagCommand("off", "", false, provision.Maintenance),
	)
	return cli.NeedsSubcommand(cmd)
}

// flagCommand returns a command that sets a node flag if on is true, and clears it otherwise. why is the help text
// for --reason.
func (a *app) flagCommand(use, why string, on bool, action func(on bool, reason string) provision.Action) *cobra.Command {
	var flags cli.ActFlags
	var reason string
	cmd := &cobra.Command{
		Use: use + " NODE…", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.CompleteNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Act(cmd, action(on, reason), args, flags)
		},
	}
	flags.Register(cmd, false)
	if on {
		cmd.Flags().StringVar(&reason, "reason", "", why)
	}
	return cmd
}

func (a *app) flagCommands() []*cobra.Command {
	return []*cobra.Command{
		a.flagCommand("protect", "reason for the protection", true, provision.Protect),
		a.flagCommand("unprotect", "", false, provision.Protect),
		a.flagCommand("retire", "reason for the retirement", true, provision.Retire),
		a.flagCommand("unretire", "", false, provision.Retire),
	}
}

func (a *app) deleteCommand() *cobra.Command {
	var flags cli.ActFlags
	cmd := &cobra.Command{
		Use: "delete NODE…", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.CompleteNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Act(cmd, provision.Delete(), args, flags)
		},
	}
	flags.Register(cmd, false)
	return cmd
}

func (a *app) bootDeviceCommand() *cobra.Command {
	var flags cli.ActFlags
	var persistent bool
	cmd := &cobra.Command{
		Use: "boot-device DEVICE NODE…", Args: cobra.MinimumNArgs(2), ValidArgsFunction: a.CompleteBootDevice,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Act(cmd, provision.BootDevice(args[0], persistent), args[1:], flags)
		},
	}
	flags.Register(cmd, false)
	cmd.Flags().BoolVar(&persistent, "persistent", false, "set it for every boot, not only the next one")
	return cmd
}

func (a *app) setCommand() *cobra.Command {
	var flags cli.ActFlags
	cmd := &cobra.Command{
		Use: "set NODE… KEY=VALUE…", Args: cobra.MinimumNArgs(2),
		ValidArgsFunction: a.CompleteNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			nodes, settings, err := splitSettings(args)
			if err != nil {
				return err
			}
			for i := range settings {
				a.PrintErr("%s\n", settings[i].Typed())
			}
			return a.Act(cmd, provision.Set(settings), nodes, flags)
		},
	}
	flags.Register(cmd, false)
	return cmd
}

// splitSettings separates nodes from settings. A node name contains no = and does not end in a dash.
func splitSettings(args []string) (nodes []string, settings []models.Setting, err error) {
	for _, arg := range args {
		if !strings.Contains(arg, "=") && !strings.HasSuffix(arg, "-") {
			nodes = append(nodes, arg)
			continue
		}
		s, err := models.ParseSetting(arg)
		if err != nil {
			return nil, nil, err
		}
		settings = append(settings, s)
	}
	switch {
	case len(nodes) == 0:
		return nil, nil, cli.Usagef("set: no NODE given")
	case len(settings) == 0:
		return nil, nil, cli.Usagef("set: nothing to set: give KEY=VALUE after %s", strings.Join(nodes, " "))
	}
	return nodes, settings, nil
}
