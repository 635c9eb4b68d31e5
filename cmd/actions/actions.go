// Package actions implements the commands that change nodes: provision verbs, power, flags and fields.
package actions

import (
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/provision"
)

func (a *app) powerCommand() *cobra.Command {
	power := cli.Group("power on|off|soft-off|reboot|soft-reboot NODE…")
	for _, t := range []struct {
		name   string
		target models.PowerTarget
	}{
		{"on", models.TargetOn},
		{"off", models.TargetOff},
		{"soft-off", models.TargetSoftOff},
		{"reboot", models.TargetReboot},
		{"soft-reboot", models.TargetSoftReboot},
	} {
		power.AddCommand(a.ActCommand(t.name+" NODE…", 1, true, func(cmd *cobra.Command, args []string, flags cli.ActFlags) error {
			return a.Act(cmd, provision.Power(t.target), args, flags)
		}))
	}
	return power
}

// flagCommand returns a command that sets or clears a node flag. why is the help text for --reason.
func (a *app) flagCommand(use, why string, on bool, action func(on bool, reason string) provision.Action) *cobra.Command {
	var reason string
	cmd := a.ActCommand(use+" NODE…", 1, false, func(cmd *cobra.Command, args []string, flags cli.ActFlags) error {
		return a.Act(cmd, action(on, reason), args, flags)
	})
	if on {
		cmd.Flags().StringVar(&reason, "reason", "", why)
	}
	return cmd
}

func (a *app) deleteCommand() *cobra.Command {
	return a.ActCommand("delete NODE…", 1, false, func(cmd *cobra.Command, args []string, flags cli.ActFlags) error {
		return a.Act(cmd, provision.Delete(), args, flags)
	})
}

func (a *app) bootDeviceCommand() *cobra.Command {
	var persistent bool
	cmd := a.ActCommand("boot-device DEVICE NODE…", 2, false, func(cmd *cobra.Command, args []string, flags cli.ActFlags) error {
		return a.Act(cmd, provision.BootDevice(args[0], persistent), args[1:], flags)
	})
	cmd.ValidArgsFunction = a.CompleteBootDevice
	cmd.Flags().BoolVar(&persistent, "persistent", false, "set it for every boot, not only the next one")
	return cmd
}

func (a *app) setCommand() *cobra.Command {
	return a.ActCommand("set NODE… KEY=VALUE…", 2, false, func(cmd *cobra.Command, args []string, flags cli.ActFlags) error {
		nodes, settings, err := splitSettings(args)
		if err != nil {
			return err
		}
		for i := range settings {
			a.PrintErr("%s\n", settings[i].Typed())
		}
		return a.Act(cmd, provision.Set(settings), nodes, flags)
	})
}

// splitSettings separates nodes from settings.
func splitSettings(args []string) (nodes []string, settings []models.Setting, err error) {
	nodes, texts := cli.SplitSettings(args, true)
	for _, text := range texts {
		s, err := models.ParseSetting(text)
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

type app struct{ *cli.App }

// Commands returns the commands of the package that [Verbs] does not return.
func Commands(a *cli.App) []*cobra.Command {
	x := &app{a}
	return []*cobra.Command{
		x.bringUpCommand(), x.powerCommand(),
		cli.Group("maintenance on|off NODE…",
			x.flagCommand("on", "maintenance reason, shown with the node", true, provision.Maintenance),
			x.flagCommand("off", "", false, provision.Maintenance)),
		x.setCommand(), x.bootDeviceCommand(), x.deleteCommand(),
	}
}

// Verbs returns the commands that send provision verbs. It also returns the commands that set or clear node flags,
// such as protect.
func Verbs(a *cli.App) []*cobra.Command {
	x := &app{a}
	cmds := []*cobra.Command{
		x.flagCommand("protect", "reason for the protection", true, provision.Protect),
		x.flagCommand("unprotect", "", false, provision.Protect),
		x.flagCommand("retire", "reason for the retirement", true, provision.Retire),
		x.flagCommand("unretire", "", false, provision.Retire),
	}
	for _, v := range models.Verbs() {
		if v == models.VerbDeploy || v == models.VerbRebuild {
			cmds = append(cmds, x.deployCommand(v))
		} else {
			cmds = append(cmds, x.verbCommand(v))
		}
	}
	return cmds
}
