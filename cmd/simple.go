package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/models"
	"ironworks/provision"
)

func (a *app) powerCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "power on|off|soft-off|reboot|soft-reboot NODE…", Short: "Change the power of nodes"}
	targets := []struct {
		name, short string
		target      models.PowerTarget
	}{
		{"on", "Switch nodes on", models.TargetOn},
		{"off", "Switch nodes off, hard", models.TargetOff},
		{"soft-off", "Ask the operating systems to shut down", models.TargetSoftOff},
		{"reboot", "Reset nodes, hard", models.TargetReboot},
		{"soft-reboot", "Ask the operating systems to reboot", models.TargetSoftReboot},
	}
	for _, t := range targets {
		var flags actFlags
		sub := &cobra.Command{
			Use: t.name + " NODE…", Short: t.short, Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeNodes(0),
			RunE: func(cmd *cobra.Command, args []string) error {
				return a.act(cmd, provision.Power(t.target), args, flags)
			},
		}
		flags.register(sub, true)
		cmd.AddCommand(sub)
	}
	return needsSubcommand(cmd)
}

// needsSubcommand makes a command without one of its subcommands a usage error.
func needsSubcommand(cmd *cobra.Command) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("%s: unknown %q; want %s", cmd.CommandPath(), models.Printable(args[0]), cmd.Use)
		}
		return usagef("want %s", cmd.Use)
	}
	return cmd
}

func (a *app) maintenanceCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "maintenance on|off NODE…", Short: "Take nodes out of Ironic's hands, or give them back"}
	for _, on := range []bool{true, false} {
		var flags actFlags
		var reason string
		sub := &cobra.Command{
			Use: map[bool]string{true: "on", false: "off"}[on] + " NODE…", Args: cobra.MinimumNArgs(1),
			Short:             map[bool]string{true: "Set maintenance, with a reason", false: "End maintenance"}[on],
			ValidArgsFunction: a.completeNodes(0),
			RunE: func(cmd *cobra.Command, args []string) error {
				return a.act(cmd, provision.Maintenance(on, reason), args, flags)
			},
		}
		flags.register(sub, false)
		if on {
			sub.Flags().StringVar(&reason, "reason", "", "why, for those who find the node")
		}
		cmd.AddCommand(sub)
	}
	return needsSubcommand(cmd)
}

func (a *app) flagCommands() []*cobra.Command {
	make := func(use, short string, on bool, action func(on bool, reason string) provision.Action) *cobra.Command {
		var flags actFlags
		var reason string
		cmd := &cobra.Command{
			Use: use + " NODE…", Short: short, Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeNodes(0),
			RunE: func(cmd *cobra.Command, args []string) error {
				return a.act(cmd, action(on, reason), args, flags)
			},
		}
		flags.register(cmd, false)
		if on {
			cmd.Flags().StringVar(&reason, "reason", "", "why")
		}
		return cmd
	}
	return []*cobra.Command{
		make("protect", "Guard active nodes against undeploy and rebuild", true, provision.Protect),
		make("unprotect", "Lift the guard", false, provision.Protect),
		make("retire", "Mark nodes as leaving the fleet", true, provision.Retire),
		make("unretire", "Lift the mark", false, provision.Retire),
	}
}

func (a *app) bootDeviceCommand() *cobra.Command {
	var flags actFlags
	var persistent bool
	cmd := &cobra.Command{
		Use: "boot-device DEVICE NODE…", Short: "Set what nodes boot from: pxe, disk, cdrom, bios, …", Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.act(cmd, provision.BootDevice(args[0], persistent), args[1:], flags)
		},
	}
	flags.register(cmd, false)
	cmd.Flags().BoolVar(&persistent, "persistent", false, "from now on, not only the next time")
	return cmd
}

func (a *app) setCommand() *cobra.Command {
	var flags actFlags
	cmd := &cobra.Command{
		Use: "set NODE… KEY=VALUE…", Short: "Change fields of nodes, leaf by leaf, and traits", Args: cobra.MinimumNArgs(2),
		Long: "Change fields of nodes. Only the named leaves are sent, so that secrets that Ironic masks stay as they are.\n\n" +
			"  KEY=VALUE     set; below properties, driver_info, instance_info and extra a dot parts the path,\n" +
			"                and a VALUE that is JSON is sent as such\n" +
			"  KEY-          remove\n" +
			"  traits=A,B    set all traits; traits+=C adds, traits-=D takes away",
		Example: "  ironworks set n1 n2 resource_class=gp-2x owner=rack7\n" +
			"  ironworks set n1 deploy_interface=custom-agent properties.root_device.wwn=0x5000c500a1b2c3d4\n" +
			"  ironworks set n1 traits+=CUSTOM_NVME description-",
		ValidArgsFunction: a.completeNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			nodes, settings, err := splitSettings(args)
			if err != nil {
				return err
			}
			for i := range settings {
				fmt.Fprintln(a.stderr, settings[i].Typed())
			}
			return a.act(cmd, provision.Set(settings), nodes, flags)
		},
	}
	flags.register(cmd, false)
	return cmd
}

// splitSettings parts nodes from settings: a node's name holds no =, and does not end
// in a dash.
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
		return nil, nil, usagef("set: no node is named")
	case len(settings) == 0:
		return nil, nil, usagef("set: nothing to set: want KEY=VALUE after %s", models.Printable(strings.Join(nodes, " ")))
	}
	return nodes, settings, nil
}
