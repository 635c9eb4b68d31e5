package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) bmcCommand() *cobra.Command {
	var flags bmcFlags
	cmd := &cobra.Command{
		Use:               "bmc [NODE]",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			look, err := a.queryBMC(cmd, &flags, args)
			if err != nil {
				return err
			}
			return a.print(result{data: look, names: []string{look.BMC.Address}, text: bmcText(look)})
		},
	}
	flags.register(cmd.PersistentFlags())
	cmd.AddCommand(a.bmcOrderCommands(&flags)...)
	cmd.AddCommand(a.bmcConsoleCommand(&flags), a.bmcLoginCommand(&flags), a.bmcLogoutCommand(&flags))
	return cmd
}

// queryBMC queries the BMC of a node, or the BMC of --address. The latter needs no configuration.
func (a *app) queryBMC(cmd *cobra.Command, flags *bmcFlags, args []string) (*provision.BMCReport, error) {
	node, err := flags.wantsNode(cmd.CommandPath(), len(args))
	if err != nil {
		return nil, err
	}
	if !node {
		bmcs, err := a.bmcs(nil, flags)
		if err != nil {
			return nil, err
		}
		return bmcs.QueryTarget(cmd.Context(), flags.target())
	}
	s, err := a.connect(cmd)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	bmcs, err := a.bmcs(s, flags)
	if err != nil {
		return nil, err
	}
	look, err := bmcs.Query(cmd.Context(), args[0])
	if err != nil {
		return nil, errors.Join(err, a.knownOfBMC(cmd.Context(), s, args[0], err))
	}
	for _, missing := range look.Missing {
		a.printMessage("%v", missing)
	}
	return look, nil
}

// knownOfBMC prints Ironic's data about a BMC without Redfish.
func (a *app) knownOfBMC(ctx context.Context, s *session.Session, name string, why error) error {
	var none *models.NoRedfishError
	if !errors.As(why, &none) {
		return nil
	}
	n, err := s.Client.Node(ctx, name)
	if err != nil {
		return err
	}
	known := models.BMCOfIronic(n)
	r := result{header: []string{"FIELD", "VALUE"}, names: []string{n.Label()}}
	fields := map[string]string{}
	for _, d := range known {
		fields[d.Name] = d.Value
		r.rows = append(r.rows, []string{d.Name, d.Value})
	}
	r.data = map[string]any{"node": n.Ref(), "ironic": fields}
	return a.print(r)
}

func (a *app) bmcConsoleCommand(flags *bmcFlags) *cobra.Command {
	return &cobra.Command{
		Use: "console [NODE]", Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.completeNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			look, err := a.queryBMC(cmd, flags, args)
			if err != nil {
				return err
			}
			return a.printConsoles(look.BMC)
		},
	}
}

func (a *app) printConsoles(b *models.BMC) error {
	r := result{header: []string{"CONSOLE", "ENABLED", "BY", "URL"}, data: nonNil(b.Consoles)}
	for _, c := range b.Consoles {
		r.rows = append(r.rows, []string{string(c.Kind), yesNo(c.Enabled), strings.Join(c.Types, ", "), c.URL})
		if c.URL != "" {
			r.names = append(r.names, c.URL)
		}
	}
	if len(b.Consoles) == 0 {
		a.printMessage("the BMC reports no console; its web interface is at %s", b.Address)
	}
	return a.print(r)
}

// bmcText formats the answer of a BMC. BIOS settings are only in -o json.
func bmcText(l *provision.BMCReport) string {
	var b strings.Builder
	title, sections := l.Page()
	if l.Node != nil {
		fmt.Fprintf(&b, "%s  ", l.Node.Label())
	}
	fmt.Fprintf(&b, "%s  %s\n", title, l.BMC.Address)
	for _, section := range sections {
		switch section.Title {
		case "BIOS settings":
			continue
		case "":
		default:
			fmt.Fprintf(&b, "\n%s\n", section.Title)
		}
		for _, row := range section.Rows {
			fmt.Fprintf(&b, "  %-22s %s\n", row.Name, row.Text)
		}
	}
	return b.String()
}
