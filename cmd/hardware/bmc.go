package hardware

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) bmcCommand() *cobra.Command {
	var flags cli.BMCFlags
	cmd := &cobra.Command{
		Use:               "bmc [NODE]",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.CompleteNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			look, err := a.queryBMC(cmd, &flags, args)
			if err != nil {
				return err
			}
			return a.Print(cli.Result{Data: look, Names: []string{look.BMC.Address}, Text: bmcText(look)})
		},
	}
	flags.Register(cmd.PersistentFlags())
	cmd.AddCommand(a.bmcOrderCommands(&flags)...)
	cmd.AddCommand(a.bmcConsoleCommand(&flags), a.bmcLoginCommand(&flags), a.bmcLogoutCommand(&flags))
	return cmd
}

// queryBMC queries the BMC of a node, or the BMC given with --address. The latter needs no configuration.
func (a *app) queryBMC(cmd *cobra.Command, flags *cli.BMCFlags, args []string) (*provision.BMCReport, error) {
	node, err := flags.WantsNode(cmd.CommandPath(), len(args))
	if err != nil {
		return nil, err
	}
	if !node {
		bmcs, err := a.BMCs(nil, flags)
		if err != nil {
			return nil, err
		}
		return bmcs.QueryTarget(cmd.Context(), flags.Target())
	}
	s, err := a.Connect(cmd)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	bmcs, err := a.BMCs(s, flags)
	if err != nil {
		return nil, err
	}
	look, err := bmcs.Query(cmd.Context(), args[0])
	if err != nil {
		return nil, errors.Join(err, a.knownOfBMC(cmd.Context(), s, args[0], err))
	}
	for _, missing := range look.Missing {
		a.PrintMessage("%v", missing)
	}
	return look, nil
}

// knownOfBMC prints what Ironic knows about a BMC without Redfish. It prints nothing if why is not a
// [models.NoRedfishError].
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
	r := cli.Result{Header: []string{"FIELD", "VALUE"}, Names: []string{n.Label()}}
	fields := map[string]string{}
	for _, d := range known {
		fields[d.Name] = d.Value
		r.Rows = append(r.Rows, []string{d.Name, d.Value})
	}
	r.Data = map[string]any{"node": n.Ref(), "ironic": fields}
	return a.Print(r)
}

func (a *app) bmcConsoleCommand(flags *cli.BMCFlags) *cobra.Command {
	return &cobra.Command{
		Use: "console [NODE]", Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.CompleteNodes(1),
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
	r := cli.Result{Header: []string{"CONSOLE", "ENABLED", "BY", "URL"}, Data: cli.NonNil(b.Consoles)}
	for _, c := range b.Consoles {
		r.Rows = append(r.Rows, []string{string(c.Kind), cli.YesNo(c.Enabled), strings.Join(c.Types, ", "), c.URL})
		if c.URL != "" {
			r.Names = append(r.Names, c.URL)
		}
	}
	if len(b.Consoles) == 0 {
		a.PrintMessage("the BMC reports no console; its web interface is at %s", b.Address)
	}
	return a.Print(r)
}

// bmcText formats the report of a BMC. It omits the BIOS settings, which only the JSON and YAML output contains.
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
