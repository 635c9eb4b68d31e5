package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/ironicclient"
	"ironworks/models"
)

func (a *app) nodeCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "node NODE",
		Short:             "Show one node; -o json has Ironic's own fields",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeNodes(1),
		RunE: a.online(func(cmd *cobra.Command, s *session, args []string) error {
			n, err := s.client.Node(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			r := result{data: n.Raw, names: []string{n.Label()}}
			if a.output == outputTable || a.output == "" {
				r.text = nodeText(cmd.Context(), s.client, n)
			}
			return a.print(r)
		}),
	}
}

// nodeText is what an operator wants to know first.
func nodeText(ctx context.Context, c *ironicclient.Client, n *models.Node) string {
	rows := []models.Row{{Node: *n}}
	addReasons(ctx, c, rows)
	v, _ := c.Version()
	var b strings.Builder
	line := func(name, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); strings.TrimSpace(text) != "" {
			fmt.Fprintf(&b, "%-16s %s\n", name, models.Printable(text))
		}
	}
	line("name", "%s", n.Name)
	line("uuid", "%s", n.UUID)
	line("state", "%s", stateSentence(n))
	switch step, _ := n.CurrentStep(); {
	case step != nil:
		line("step", "%s", models.StepLine(&rows[0]))
	case n.ProvisionState.Failed():
		line("reason", "%s", models.StepLine(&rows[0]))
	}
	if n.LastError != "" && !n.ProvisionState.Failed() {
		line("last error", "%s", n.LastError)
	}
	line("power", "%s%s", n.PowerState.Short(), targetOf(string(n.TargetPowerState)))
	if n.Maintenance {
		line("maintenance", "%s", strings.TrimSuffix("yes, "+n.MaintenanceReason, ", "))
	}
	line("fault", "%s", n.Fault)
	line("locked by", "%s", n.Reservation)
	line("driver", "%s", n.Driver)
	line("interfaces", "boot %s, deploy %s, network %s, power %s", n.BootInterface, n.DeployInterface, n.NetworkInterface, n.PowerInterface)
	line("bmc", "%s", bmcAddress(n))
	line("class", "%s", n.ResourceClass)
	line("traits", "%s", strings.Join(n.Traits, ", "))
	line("conductor", "%s %s", n.Conductor, n.ConductorGroup)
	line("owner", "%s", n.Owner)
	line("lessee", "%s", n.Lessee)
	line("instance", "%s", n.InstanceUUID)
	if n.Internal != nil {
		line("agent", "%s", n.Internal.AgentURL)
	}
	line("protected", "%s", flagText(n.Protected, n.ProtectedReason))
	line("retired", "%s", flagText(n.Retired, n.RetiredReason))
	line("description", "%s", n.Description)
	writePorts(ctx, c, n, line)
	line("possible now", "%s", verbNames(models.LegalVerbs(n.ProvisionState, v)))
	return b.String()
}

func writePorts(ctx context.Context, c *ironicclient.Client, n *models.Node, line func(string, string, ...any)) {
	ports, err := c.Ports(ctx, n.UUID)
	if err != nil {
		line("ports", "cannot be read: %v", err)
		return
	}
	for _, p := range ports {
		pxe := ""
		if p.PXEEnabled {
			pxe = " pxe"
		}
		line("port", "%s%s %s %s", p.Address, pxe, p.Name, p.PhysicalNetwork)
	}
}

func stateSentence(n *models.Node) string {
	return string(n.ProvisionState) + targetOf(string(n.TargetProvisionState))
}

func targetOf(target string) string {
	if target == "" {
		return ""
	}
	return " → " + target
}

func flagText(on bool, reason string) string {
	if !on {
		return ""
	}
	return strings.TrimSuffix("yes, "+reason, ", ")
}

func verbNames(verbs []models.Verb) string {
	names := make([]string, len(verbs))
	for i, v := range verbs {
		names[i] = string(v)
	}
	return strings.Join(names, ", ")
}

// bmcAddress is where the node's BMC is, whatever its driver calls it.
func bmcAddress(n *models.Node) string {
	for _, key := range []string{"redfish_address", "ipmi_address", "drac_address", "ilo_address", "irmc_address"} {
		if s, ok := n.DriverInfo[key].(string); ok {
			return s
		}
	}
	return ""
}
