package hardware

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/agent"
	"ironworks/agent/linux"
	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/models/hints"
)

func (a *app) agentCommand() *cobra.Command {
	var root string
	cmd := cli.Group("agent inventory|disks|steps", a.agentInventoryCommand(&root), a.agentDisksCommand(&root), a.agentStepsCommand())
	cmd.ValidArgs = []string{"inventory", "disks", "steps"}
	cmd.PersistentFlags().StringVar(&root, "host-root", "/", "folder where the host's root file system is mounted, in a container")
	return cmd
}

func (a *app) thisMachine(root string, lldp bool) (*linux.Machine, error) {
	host := linux.Local(root)
	host.Warn = func(format string, args ...any) { a.PrintMessage("note: "+format, args...) }
	params, err := host.Parameters()
	if err != nil {
		return nil, fmt.Errorf("this command works only on a Linux host: %w", err)
	}
	return linux.New(host, linux.Options{Parameters: params, CollectLLDP: lldp}), nil
}

func (a *app) agentInventoryCommand(root *string) *cobra.Command {
	var lldp bool
	cmd := &cobra.Command{
		Use: "inventory", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			machine, err := a.thisMachine(*root, lldp)
			if err != nil {
				return err
			}
			inventory, err := machine.Inventory(cmd.Context())
			if err != nil {
				return err
			}
			return a.Print(inventoryTable(inventory))
		},
	}
	cmd.Flags().BoolVar(&lldp, "lldp", false, "wait up to 30s for LLDP frames of switches (needs root)")
	return cmd
}

func inventoryTable(i agent.Inventory) cli.Result {
	r := cli.Result{Header: []string{"PART", "VALUE", "DETAILS"}, Data: i, Names: []string{i.Hostname}}
	add := func(part, value string, details ...string) {
		details = cli.NonEmpty(details...)
		r.Rows = append(r.Rows, []string{part, value, strings.Join(details, ", ")})
	}
	v := i.SystemVendor
	add("host", i.Hostname)
	add("system", strings.TrimSpace(v.Manufacturer+" "+v.ProductName), models.Labeled("serial", v.SerialNumber))
	add("firmware", strings.TrimSpace(v.Firmware.Vendor+" "+v.Firmware.Version), v.Firmware.BuildDate)
	add("boot mode", string(i.Boot.Mode), models.Labeled("booted from", deref(i.Boot.PXEInterface)))
	const mib = 1 << 20
	add("memory", fmt.Sprintf("%d MiB", i.Memory.PhysicalMB), fmt.Sprintf("usable %d MiB", i.Memory.Total/mib))
	add("CPUs", strconv.Itoa(i.CPU.Count), i.CPU.ModelName, i.CPU.Architecture, fmt.Sprintf("%d sockets", i.CPU.SocketCount))
	if i.BMCAddress != nil || i.BMCv6Address != nil {
		add("BMC", strings.Join(cli.NonEmpty(deref(i.BMCAddress), deref(i.BMCv6Address)), " "), i.BMCMAC)
	}
	for _, n := range i.Interfaces {
		link := "no carrier"
		if n.HasCarrier {
			link = "carrier"
		}
		speed := ""
		if n.SpeedMbps != nil {
			speed = fmt.Sprintf("%d Mbit/s", *n.SpeedMbps)
		}
		add("interface", n.Name, n.MAC, link, speed, deref(n.IPv4), deref(n.IPv6), deref(n.Driver), deref(n.PCIAddress))
	}
	for _, d := range i.Disks {
		add("disk", d.Name, fmt.Sprintf("%.1f GiB", float64(d.Size)/(1<<30)), attribute(d.Model), models.Labeled("serial", attribute(d.Serial)), models.Labeled("wwn", attribute(d.WWN)))
	}
	return r
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func attribute(t agent.Texts) string { return strings.Join(t, " ") }

func (a *app) agentDisksCommand(root *string) *cobra.Command {
	var given, skip string
	cmd := &cobra.Command{
		Use: "disks [--root-device HINTS]", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var c hints.Case
			var err error
			if c.Hints, err = a.ReadHints(given); err != nil {
				return cli.Usagef("--root-device: %w", err)
			}
			if c.Skip, err = a.ReadHints(skip); err != nil {
				return cli.Usagef("--skip: %w", err)
			}
			machine, err := a.thisMachine(*root, false)
			if err != nil {
				return err
			}
			disks, err := machine.BlockDevices(cmd.Context())
			if err != nil {
				return err
			}
			return a.printPick(c, disks)
		},
	}
	cmd.Flags().StringVar(&given, "root-device", "", "root device hints: JSON, @FILE or -")
	cmd.Flags().StringVar(&skip, "skip", "", "skip_block_devices of the node: JSON, @FILE or -")
	return cmd
}

// printPick prints the disks and the one on which the agent would install. It fails if no disk can be chosen.
func (a *app) printPick(c hints.Case, disks []agent.Disk) (err error) {
	if c.Disks, err = agent.HintDisks(disks); err != nil {
		return err
	}
	report, e := match(&c, hints.GenerationNewest)
	table := diskTable(report, e)
	table.Empty = "This host has no disk."
	if err := a.Print(table); err != nil {
		return err
	}
	if report.Agent.Error != nil {
		return errors.New(*report.Agent.Error)
	}
	return nil
}

func (a *app) agentStepsCommand() *cobra.Command {
	var version string
	cmd := &cobra.Command{
		Use: "steps", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			steps := agent.Steps(version)
			r := cli.Result{Header: []string{"PHASE", "INTERFACE", "STEP", "PRIORITY", "ABORTABLE", "ARGUMENTS"}, Data: steps}
			for _, s := range steps {
				r.Add(s.Phase+"."+s.Step,
					s.Phase, s.Interface, s.Step, strconv.Itoa(s.Priority), models.YesNo(s.Abortable), strings.Join(s.Arguments, ", "))
			}
			return a.Print(r)
		},
	}
	cmd.Flags().StringVar(&version, "agent-version", "13.0.0", "version of ironic-python-agent whose steps are listed")
	return cmd
}
