package cmd

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

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
		ValidArgsFunction: a.completeJournalNodes(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.ironic {
				if flags.since != "" {
					return usagef("--since and --ironic cannot be combined")
				}
				return a.online(a.ironicHistory)(cmd, args)
			}
			since, err := timeFlag("--since", flags.since, time.Now())
			if err != nil {
				return err
			}
			return a.history(cmd, args[0], since)
		},
	}
	cmd.Flags().StringVar(&flags.since, "since", "", "age or time of the oldest record: 2d, 10m, 2026-03-14T14:00:00Z")
	a.journalFlag(cmd.Flags())
	cmd.Flags().BoolVar(&flags.ironic, "ironic", false, "history that Ironic recorded")
	return cmd
}

// ironicHistory shows the history that Ironic recorded.
func (a *app) ironicHistory(cmd *cobra.Command, s *session.Session, args []string) error {
	entries, err := s.Client.History(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	r := result{empty: "No history of node " + args[0] + " in Ironic.", data: nonNil(entries), header: []string{"TIME", "SEVERITY", "TYPE", "STATE", "TOOK", "USER", "EVENT"}}
	if v, _ := s.Client.Version(); !v.Has(models.FeatureHistoryState) {
		a.printMessage("%v", v.Require(models.FeatureHistoryState))
	}
	for _, h := range entries {
		took := ""
		if h.DurationSeconds != nil {
			took = models.Age(time.Duration(*h.DurationSeconds) * time.Second)
		}
		r.names = append(r.names, h.UUID)
		r.rows = append(r.rows, []string{timeText(h.CreatedAt.Time), h.Severity, h.EventType, h.State, took, h.User, h.Event})
	}
	return a.print(r)
}

func (a *app) history(cmd *cobra.Command, name string, since time.Time) error {
	kept, cfg, err := a.offlineJournal(cmd)
	if err != nil {
		return err
	}
	defer kept.Close()
	ctx := cmd.Context()
	node, err := a.journalNode(ctx, kept, name)
	switch {
	case err != nil || node.UUID != "":
	case a.journalFile != "":
		return fmt.Errorf("journal %s has no records of %s", a.journalFile, name)
	default:
		node, err = a.askForNode(cmd, name) // the audit log may have requests about the node
	}
	if err != nil {
		return err
	}
	entries, err := session.History(ctx, kept, cfg.Files.Audit, cfg.Current.Name, node, since)
	if err != nil {
		return err
	}
	r := result{empty: "No records of node " + node.Label() + ".", data: nonNil(entries), header: []string{"TIME", "KIND", "EVENT"}}
	for i := range entries {
		what, text := entries[i].Text()
		r.rows = append(r.rows, []string{timeText(entries[i].Time), what, text})
	}
	r.names = []string{node.Label()}
	return a.print(r)
}

// askForNode finds a node in Ironic that the journal does not have.
func (a *app) askForNode(cmd *cobra.Command, name string) (models.NodeRef, error) {
	s, err := a.connect(cmd)
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
