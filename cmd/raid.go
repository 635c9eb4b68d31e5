package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"ironworks/models"
	"ironworks/models/raid"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) raidCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "raid show|check|apply|delete"}
	cmd.AddCommand(a.raidShowCommand(), a.raidCheckCommand(), a.raidApplyCommand(), a.raidDeleteCommand())
	return needsSubcommand(cmd)
}

func (a *app) raidShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show NODE", Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeNodes(1),
		RunE: a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			n, err := oneNode(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}
			now, err := provision.RAIDOf(n)
			if err != nil {
				return err
			}
			r := result{
				header: []string{"CONFIGURATION", "LEVEL", "SIZE", "NAME", "ROOT", "DRIVES"}, data: now, names: []string{n.Label()},
				empty: "No RAID configuration (raid_interface " + models.OrNone(now.Interface) + ").",
			}
			for _, c := range []struct {
				name   string
				config map[string]any
			}{{"current", now.Current}, {"target", now.Target}} {
				for _, disk := range provision.Volumes(c.config) {
					r.rows = append(r.rows, append([]string{c.name}, provision.VolumeTexts(disk)...))
				}
			}
			return a.print(r)
		}),
	}
}

func (a *app) raidCheckCommand() *cobra.Command {
	var flags bmcFlags
	var file string
	cmd := &cobra.Command{
		Use: "check [NODE]", Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.completeNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := a.readRAID(file)
			if err != nil {
				return err
			}
			if len(args) == 0 && flags.Address == "" {
				a.printMessage("valid: %s", target)
				return nil
			}
			look, err := a.queryBMC(cmd, &flags, args)
			if err != nil {
				return err
			}
			return a.printVolumes(target, look)
		},
	}
	flags.register(cmd.Flags())
	raidFile(cmd, &file)
	return cmd
}

func raidFile(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVarP(file, "file", "f", "", "target RAID as YAML or JSON: FILE, or - for standard input")
	_ = cmd.MarkFlagRequired("file")
}

func (a *app) readRAID(file string) (provision.RAIDTarget, error) {
	data, err := a.readArgument(file)
	if err != nil {
		return provision.RAIDTarget{}, usagef("--file: %w", err)
	}
	target, err := provision.ParseRAID(data)
	if err != nil {
		return target, usagef("%s: %w", file, err)
	}
	return target, nil
}

// printVolumes prints the volumes that Ironic would create from the drives that a BMC reports.
func (a *app) printVolumes(target provision.RAIDTarget, look *provision.BMCReport) error {
	node := ""
	if look.Node != nil {
		node = look.Node.UUID
	}
	volumes, err := raid.Assign(target.Disks, provision.DrivesOf(look.BMC), node)
	if err != nil {
		a.printMessage("the RAID does not fit: %v", err)
		return &codeError{code: exitRefused}
	}
	r := result{header: []string{"LEVEL", "SIZE", "NAME", "ROOT", "CONTROLLER", "DRIVES"}, data: nonNil(volumes)}
	for i := range volumes {
		v := &volumes[i]
		r.names = append(r.names, v.VolumeName)
		r.rows = append(r.rows, []string{
			v.RAIDLevel, provision.VolumeSize(&v.LogicalDisk), v.VolumeName, yesNo(v.IsRoot), v.Controller, strings.Join(v.Drives, ", "),
		})
		if len(v.Busy) > 0 {
			a.printMessage("drives in use: %s", strings.Join(v.Busy, ", "))
		}
	}
	return a.print(r)
}

func (a *app) raidApplyCommand() *cobra.Command {
	var flags actFlags
	var file string
	var keep bool
	cmd := &cobra.Command{
		Use: "apply NODE…", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := a.readRAID(file)
			if err != nil {
				return err
			}
			return a.online(func(cmd *cobra.Command, s *session.Session, args []string) error {
				return a.actPrepared(cmd, s, provision.SetRAID(target, keep), args, flags)
			})(cmd, args)
		},
	}
	flags.register(cmd, true)
	raidFile(cmd, &file)
	cmd.Flags().BoolVar(&keep, "keep", false, "keep existing volumes of a hardware controller")
	return cmd
}

func (a *app) raidDeleteCommand() *cobra.Command {
	return a.preparedCommand("delete", provision.DeleteRAID)
}
