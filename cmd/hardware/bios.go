package hardware

import (
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/models/bios"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) biosCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "bios show|set|reset|compare|copy"}
	cmd.AddCommand(a.biosShowCommand(), a.biosSetCommand(), a.biosResetCommand(), a.biosCompareCommand(), a.biosCopyCommand())
	return cli.NeedsSubcommand(cmd)
}

func (a *app) biosShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show NODE [TEXT]", Args: cobra.RangeArgs(1, 2), ValidArgsFunction: a.CompleteNodes(1),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			settings, err := s.Client.BIOS(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			shown := []models.BIOSSetting{}
			r := cli.Result{Header: []string{"SETTING", "VALUE", "ALLOWED", "NOTES"}, Empty: "No BIOS settings: " + noBIOS}
			for _, setting := range settings {
				if len(args) == 2 && !strings.Contains(strings.ToLower(setting.Name+"="+setting.Value), strings.ToLower(args[1])) {
					continue
				}
				shown = append(shown, setting)
				r.Names = append(r.Names, setting.Name)
				r.Rows = append(r.Rows, []string{setting.Name, bios.Shown(setting), bios.Allowed(setting), strings.Join(bios.Notes(setting), ", ")})
			}
			if len(settings) > 0 {
				r.Empty = "No BIOS setting contains " + strings.Join(args[1:], "") + "."
			}
			r.Data = shown
			return a.Print(r)
		}),
	}
}

const noBIOS = "Ironic reads them during cleaning and inspection, if the bios interface supports it."

func (a *app) biosSetCommand() *cobra.Command {
	var flags cli.ActFlags
	cmd := &cobra.Command{
		Use: "set NODE… NAME=VALUE…", Args: cobra.MinimumNArgs(2), ValidArgsFunction: a.CompleteNodes(0),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			nodes, pairs, err := nodesAndPairs("bios set", "NAME=VALUE", args)
			if err != nil {
				return err
			}
			changes := make([]bios.Change, len(pairs))
			for i, pair := range pairs {
				if changes[i], err = bios.ParseChange(pair); err != nil {
					return cli.Usagef("%w", err)
				}
			}
			return a.ActPrepared(cmd, s, provision.SetBIOS(s.Client, changes), nodes, flags)
		}),
	}
	flags.Register(cmd, true)
	return cmd
}

func (a *app) biosResetCommand() *cobra.Command {
	return a.preparedCommand("reset", provision.ResetBIOS)
}

// preparedCommand returns a command whose only arguments are nodes. Its action first queries Ironic for information
// about each node.
func (a *app) preparedCommand(use string, action func() provision.Action) *cobra.Command {
	var flags cli.ActFlags
	cmd := &cobra.Command{
		Use: use + " NODE…", Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.CompleteNodes(0),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			return a.ActPrepared(cmd, s, action(), args, flags)
		}),
	}
	flags.Register(cmd, true)
	return cmd
}

// nodesAndPairs separates node names from NAME=VALUE arguments. A node name contains no =.
func nodesAndPairs(command, want string, args []string) (nodes, pairs []string, err error) {
	for _, arg := range args {
		if strings.Contains(arg, "=") {
			pairs = append(pairs, arg)
		} else {
			nodes = append(nodes, arg)
		}
	}
	switch {
	case len(nodes) == 0:
		return nil, nil, cli.Usagef("%s: no NODE given", command)
	case len(pairs) == 0:
		return nil, nil, cli.Usagef("%s: give %s after %s", command, want, strings.Join(nodes, " "))
	}
	return nodes, pairs, nil
}

func (a *app) biosCompareCommand() *cobra.Command {
	return &cobra.Command{
		Use: "compare GOLDEN NODE…", Args: cobra.MinimumNArgs(2), ValidArgsFunction: a.CompleteNodes(0),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			golden, nodes, err := a.goldenAndOthers(cmd, s, args)
			if err != nil {
				return err
			}
			drifts, err := provision.BIOSDrift(cmd.Context(), s.Client, golden, nodes)
			if err != nil {
				return err
			}
			r := cli.Result{Header: []string{"NODE", "SETTING", "GOLDEN", "VALUE", "NOTE"}, Data: cli.NonNil(drifts), Empty: "No differences."}
			for _, d := range drifts {
				switch {
				case d.Err != nil:
					r.Rows = append(r.Rows, []string{d.Node.Label(), "", "", "", d.Err.Error()})
				case len(d.Differences) > 0:
					r.Names = append(r.Names, d.Node.Label())
				}
				for _, x := range d.Differences {
					r.Rows = append(r.Rows, []string{d.Node.Label(), x.Name, x.Golden, x.Value, x.Note})
				}
			}
			return a.Print(r)
		}),
	}
}

// goldenAndOthers finds the nodes that the arguments name. The first one is the golden node.
func (a *app) goldenAndOthers(cmd *cobra.Command, s *session.Session, args []string) (golden *models.Node, others []models.Node, err error) {
	nodes, err := provision.FindNodes(cmd.Context(), s.Client, args)
	if err != nil {
		return nil, nil, err
	}
	if len(nodes) < 2 {
		return nil, nil, cli.Usagef("%s: give a node other than %s", cmd.CommandPath(), nodes[0].Label())
	}
	return &nodes[0], nodes[1:], nil
}

func (a *app) biosCopyCommand() *cobra.Command {
	var flags cli.ActFlags
	cmd := &cobra.Command{
		Use: "copy GOLDEN NODE…", Args: cobra.MinimumNArgs(2), ValidArgsFunction: a.CompleteNodes(0),
		RunE: a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			golden, err := cli.OneNode(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}
			settings, err := s.Client.BIOS(cmd.Context(), golden.UUID)
			if err != nil {
				return err
			}
			if len(settings) == 0 {
				a.PrintMessage("bios copy: Ironic has no BIOS settings of %s: %s", golden.Label(), noBIOS)
				return &cli.CodeError{Code: cli.ExitRefused}
			}
			return a.ActPrepared(cmd, s, provision.CopyBIOS(s.Client, golden.Ref(), settings), args[1:], flags)
		}),
	}
	flags.Register(cmd, true)
	return cmd
}
