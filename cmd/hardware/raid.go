package hardware

import (
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/models/raid"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) raidShowCommand() *cobra.Command {
	return a.NodeCommand("show NODE", func(_ *cobra.Command, _ *session.Session, n *models.Node) error {
		now, err := provision.RAIDOf(n)
		if err != nil {
			return err
		}
		r := cli.Result{
			Header: []string{"CONFIGURATION", "LEVEL", "SIZE", "NAME", "ROOT", "DRIVES"}, Data: now, Names: []string{n.Label()},
			Empty: "No RAID configuration (raid_interface " + models.OrNone(now.Interface) + ").",
		}
		for _, c := range []struct {
			name   string
			config map[string]any
		}{{"current", now.Current}, {"target", now.Target}} {
			for _, disk := range provision.Volumes(c.config) {
				r.Rows = append(r.Rows, append([]string{c.name}, provision.VolumeTexts(disk)...))
			}
		}
		return a.Print(r)
	})
}

func (a *app) raidCheckCommand() *cobra.Command {
	var flags cli.BMCFlags
	var file string
	cmd := &cobra.Command{
		Use: "check [NODE]", Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.CompleteNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := a.readRAID(file)
			if err != nil {
				return err
			}
			if len(args) == 0 && flags.Address == "" {
				a.PrintMessage("valid: %s", target)
				return nil
			}
			look, err := a.queryBMC(cmd, &flags, args)
			if err != nil {
				return err
			}
			return a.printVolumes(target, look)
		},
	}
	flags.Register(cmd.Flags())
	raidFile(cmd, &file)
	return cmd
}

func raidFile(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVarP(file, "file", "f", "", "target RAID as YAML or JSON: FILE, or - for standard input")
	_ = cmd.MarkFlagRequired("file")
}

func (a *app) readRAID(file string) (provision.RAIDTarget, error) {
	data, err := a.ReadArgument(file)
	if err != nil {
		return provision.RAIDTarget{}, cli.Usagef("--file: %w", err)
	}
	target, err := provision.ParseRAID(data)
	if err != nil {
		return target, cli.Usagef("%s: %w", file, err)
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
		return a.Refusef("the RAID does not fit: %v", err)
	}
	r := cli.Result{Header: []string{"LEVEL", "SIZE", "NAME", "ROOT", "CONTROLLER", "DRIVES"}, Data: cli.NonNil(volumes)}
	for i := range volumes {
		v := &volumes[i]
		r.Add(v.VolumeName,
			v.RAIDLevel, provision.VolumeSize(&v.LogicalDisk), v.VolumeName, models.YesNo(v.IsRoot), v.Controller, strings.Join(v.Drives, ", "),
		)
		if len(v.Busy) > 0 {
			a.PrintMessage("drives in use: %s", strings.Join(v.Busy, ", "))
		}
	}
	return a.Print(r)
}

func (a *app) raidApplyCommand() *cobra.Command {
	var file string
	var keep bool
	cmd := a.ActCommand("apply NODE…", 1, true, func(cmd *cobra.Command, args []string, flags cli.ActFlags) error {
		target, err := a.readRAID(file)
		if err != nil {
			return err
		}
		return a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			return a.ActPrepared(cmd, s, provision.SetRAID(target, keep), args, flags)
		})(cmd, args)
	})
	raidFile(cmd, &file)
	cmd.Flags().BoolVar(&keep, "keep", false, "keep existing volumes of a hardware controller")
	return cmd
}
