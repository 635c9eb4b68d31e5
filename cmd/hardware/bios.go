package hardware

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/models/bios"
	"ironworks/provision"
	"ironworks/session"
)

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
				r.Add(setting.Name, setting.Name, bios.Shown(setting), bios.Allowed(setting), strings.Join(bios.Notes(setting), ", "))
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

func (a *app) setBIOS(_ context.Context, s *session.Session, args []string) (provision.Action, []string, error) {
	nodes, pairs, err := nodesAndPairs("bios set", "NAME=VALUE", args)
	if err != nil {
		return nil, nil, err
	}
	changes := make([]bios.Change, len(pairs))
	for i, pair := range pairs {
		if changes[i], err = bios.ParseChange(pair); err != nil {
			return nil, nil, cli.Usagef("%w", err)
		}
	}
	return provision.SetBIOS(s.Client, changes), nodes, nil
}

// prepared returns an action and the names of its nodes.
type prepared = func(ctx context.Context, s *session.Session, args []string) (provision.Action, []string, error)

// preparedCommand returns a command that changes nodes with an action that first queries Ironic for information about
// each node.
func (a *app) preparedCommand(use string, least int, action prepared) *cobra.Command {
	return a.ActCommand(use, least, true, func(cmd *cobra.Command, args []string, flags cli.ActFlags) error {
		return a.Online(func(cmd *cobra.Command, s *session.Session, args []string) error {
			act, nodes, err := action(cmd.Context(), s, args)
			if err != nil {
				return err
			}
			return a.ActPrepared(cmd, s, act, nodes, flags)
		})(cmd, args)
	})
}

// resetCommand returns a command whose only arguments are nodes.
func (a *app) resetCommand(use string, action func() provision.Action) *cobra.Command {
	return a.preparedCommand(use, 1, func(_ context.Context, _ *session.Session, nodes []string) (provision.Action, []string, error) {
		return action(), nodes, nil
	})
}

func nodesAndPairs(command, want string, args []string) (nodes, pairs []string, err error) {
	switch nodes, pairs = cli.SplitSettings(args, false); {
	case len(nodes) == 0:
		return nil, nil, cli.Usagef("%s: no NODE given", command)
	case len(pairs) == 0:
		return nil, nil, cli.Usagef("%s: give %s after %s", command, want, strings.Join(nodes, " "))
	}
	return nodes, pairs, nil
}

func (a *app) biosCompareCommand() *cobra.Command {
	return a.NodesCommand("compare GOLDEN NODE…", 2, func(cmd *cobra.Command, s *session.Session, nodes []models.Node) error {
		if len(nodes) < 2 {
			return cli.Usagef("%s: give a node other than %s", cmd.CommandPath(), nodes[0].Label())
		}
		drifts, err := provision.BIOSDrift(cmd.Context(), s.Client, nodes[0].Ref(), models.Refs(nodes[1:]))
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
	})
}

func (a *app) copyBIOS(ctx context.Context, s *session.Session, args []string) (provision.Action, []string, error) {
	golden, err := s.Client.Node(ctx, args[0])
	if err != nil {
		return nil, nil, err
	}
	settings, err := s.Client.BIOS(ctx, golden.UUID)
	if err != nil {
		return nil, nil, err
	}
	if len(settings) == 0 {
		return nil, nil, a.Refusef("bios copy: Ironic has no BIOS settings of %s: %s", golden.Label(), noBIOS)
	}
	return provision.CopyBIOS(s.Client, golden.Ref(), settings), args[1:], nil
}
