package show

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/session"
)

type historyFlags struct {
	since  string
	ironic bool
}

func (a *app) historyCommand() *cobra.Command {
	var flags historyFlags
	cmd := &cobra.Command{
		Use: "history NODE", Args: cobra.ExactArgs(1),
		ValidArgsFunction: a.CompleteJournalNodes(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.ironic {
				if flags.since != "" {
					return cli.Usagef("--since and --ironic cannot be combined")
				}
				return a.Online(a.ironicHistory)(cmd, args)
			}
			since, err := cli.TimeFlag("--since", flags.since, time.Now())
			if err != nil {
				return err
			}
			return a.history(cmd, args[0], since)
		},
	}
	cmd.Flags().StringVar(&flags.since, "since", "", "age or time of the oldest record: 2d, 10m, 2026-03-14T14:00:00Z")
	a.JournalFlag(cmd.Flags())
	cmd.Flags().BoolVar(&flags.ironic, "ironic", false, "history that Ironic recorded")
	return cmd
}

// ironicHistory shows the history that Ironic recorded.
func (a *app) ironicHistory(cmd *cobra.Command, s *session.Session, args []string) error {
	entries, err := s.Client.History(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	r := cli.Result{Empty: "No history of node " + args[0] + " in Ironic.", Data: cli.NonNil(entries), Header: []string{"TIME", "SEVERITY", "TYPE", "STATE", "TOOK", "USER", "EVENT"}}
	if v, _ := s.Client.Version(); !v.Has(models.FeatureHistoryState) {
		a.PrintMessage("%v", v.Require(models.FeatureHistoryState))
	}
	for _, h := range entries {
		r.Add(h.UUID, cli.TimeText(h.CreatedAt.Time), h.Severity, h.EventType, h.State, h.Took(), h.User, h.Event)
	}
	return a.Print(r)
}

func (a *app) history(cmd *cobra.Command, name string, since time.Time) error {
	kept, cfg, err := a.OfflineJournal(cmd)
	if err != nil {
		return err
	}
	defer kept.Close()
	ctx := cmd.Context()
	node, err := a.JournalNode(ctx, kept, name)
	switch {
	case err != nil || node.UUID != "":
	case a.JournalFile != "":
		return fmt.Errorf("journal %s has no records of %s", a.JournalFile, name)
	default:
		node, err = a.askForNode(cmd, name) // the audit log may contain requests that concern the node
	}
	if err != nil {
		return err
	}
	entries, err := session.History(ctx, kept, cfg.Files.Audit, cfg.Current.Name, node, since)
	if err != nil {
		return err
	}
	r := cli.Result{Empty: "No records of node " + node.Label() + ".", Data: cli.NonNil(entries), Header: []string{"TIME", "KIND", "EVENT"}}
	for i := range entries {
		what, text := entries[i].Text()
		r.Rows = append(r.Rows, []string{cli.TimeText(entries[i].Time), what, text})
	}
	r.Names = []string{node.Label()}
	return a.Print(r)
}

// askForNode finds a node in Ironic. It is called if the journal does not contain the node.
func (a *app) askForNode(cmd *cobra.Command, name string) (models.NodeRef, error) {
	s, err := a.Connect(cmd)
	if err != nil {
		return models.NodeRef{}, err
	}
	defer s.Close()
	n, err := s.Client.Node(cmd.Context(), name, "uuid", "name")
	if err != nil {
		return models.NodeRef{}, fmt.Errorf("the journal has no records of %s: %w", name, err)
	}
	return n.Ref(), nil
}
