package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/journal"
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
		Use: "history NODE", Short: "Show what happened to a node, and what was sent from here", Args: cobra.ExactArgs(1),
		Long: "Show the past of a node as it was seen and done from here: transitions, pieces of work with their phases, and requests,\n" +
			"the oldest first. It is in the journal and the book, so that it can be read while Ironic is down.\n" +
			"--ironic shows what Ironic itself recorded instead, the newest first.",
		Example:           "  ironworks history r7-n01\n  ironworks history r7-n01 --since 2d -o json\n  ironworks history r7-n01 --ironic",
		ValidArgsFunction: a.completeKept,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.ironic {
				if flags.since != "" {
					return usagef("--since is of what was seen from here: it does not go with --ironic")
				}
				return a.online(a.ironicHistory)(cmd, args)
			}
			since, err := sinceTime(flags.since, time.Now())
			if err != nil {
				return err
			}
			return a.history(cmd, args[0], since)
		},
	}
	cmd.Flags().StringVar(&flags.since, "since", "", "leave out what is older: 2d, 10m, or a time as in 2026-03-14T14:00:00Z")
	a.journalFlag(cmd.Flags())
	cmd.Flags().BoolVar(&flags.ironic, "ironic", false, "what Ironic recorded")
	return cmd
}

// ironicHistory shows what Ironic recorded.
func (a *app) ironicHistory(cmd *cobra.Command, s *session.Session, args []string) error {
	entries, err := s.Client.History(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	r := result{data: nonNil(entries), header: []string{"TIME", "SEVERITY", "TYPE", "STATE", "EVENT"}}
	for _, h := range entries {
		r.names = append(r.names, h.UUID)
		r.rows = append(r.rows, []string{timeText(h.CreatedAt.Time), h.Severity, h.EventType, h.State, h.Event})
	}
	return a.print(r)
}

// historyEntry is one thing of a node's past: one of the three is there.
type historyEntry struct {
	Time       time.Time     `json:"time"`
	Request    *audit.Record `json:"request,omitempty"`
	Work       *models.Work  `json:"work,omitempty"`
	Transition *models.Event `json:"transition,omitempty"`
}

func (a *app) history(cmd *cobra.Command, name string, since time.Time) error {
	kept, cfg, err := a.offlineJournal(cmd)
	if err != nil {
		return err
	}
	defer kept.Close()
	ctx := cmd.Context()
	node, err := a.keptNode(ctx, kept, name)
	switch {
	case err != nil || node.UUID != "":
	case a.journalFile != "":
		return fmt.Errorf("journal %s has nothing of %s", models.Printable(a.journalFile), models.Printable(name))
	default:
		node, err = a.askForNode(cmd, name) // there may be requests
	}
	if err != nil {
		return err
	}
	entries, err := keptEntries(ctx, kept, node, since)
	if err != nil {
		return err
	}
	requests, err := audit.Read(cfg.Files.Audit, cfg.Current.Name, node)
	if err != nil {
		return err
	}
	for i := range requests {
		if r := &requests[i]; !r.Time.Before(since) {
			entries = append(entries, historyEntry{Time: r.Time, Request: r})
		}
	}
	slices.SortStableFunc(entries, func(a, b historyEntry) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.rank(), b.rank()))
	})
	r := result{data: nonNil(entries), header: []string{"TIME", "WHAT", ""}}
	for i := range entries {
		e := &entries[i]
		what, text := e.text()
		r.rows = append(r.rows, []string{timeText(e.Time), what, text})
	}
	r.names = []string{node.Label()}
	return a.print(r)
}

// askForNode is for a node that the journal does not know.
func (a *app) askForNode(cmd *cobra.Command, name string) (models.NodeRef, error) {
	s, err := a.connect(cmd)
	if err != nil {
		return models.NodeRef{}, err
	}
	defer s.Close()
	n, err := s.Client.Node(cmd.Context(), name, "uuid", "name")
	if err != nil {
		return models.NodeRef{}, fmt.Errorf("the journal has nothing of %s: %w", models.Printable(name), err)
	}
	return n.Ref(), nil
}

// mostWorks is of how many pieces of work it is told.
const mostWorks = 10_000

func keptEntries(ctx context.Context, kept *journal.Journal, node models.NodeRef, since time.Time) ([]historyEntry, error) {
	var entries []historyEntry
	works, err := kept.OfNode(ctx, node.UUID, mostWorks)
	if err != nil {
		return nil, err
	}
	for i := range works {
		if w := &works[i]; !w.Begin.Before(since) {
			entries = append(entries, historyEntry{Time: w.Begin, Work: w})
		}
	}
	events, err := kept.Transitions(ctx, node.UUID, since)
	for i := range events {
		entries = append(entries, historyEntry{Time: events[i].Time, Transition: &events[i]})
	}
	return entries, err
}

// rank is the order at one time: what was sent, what began, what was seen.
func (e *historyEntry) rank() int {
	switch {
	case e.Request != nil:
		return 0
	case e.Work != nil:
		return 1
	}
	return 2
}

// text says what it is, and the rest; both are safe to show.
func (e *historyEntry) text() (what, text string) {
	switch {
	case e.Request != nil:
		return "sent", requestText(e.Request)
	case e.Work != nil:
		return e.Work.Noun(), workText(e.Work)
	}
	return "", e.Transition.Text()
}

func requestText(r *audit.Record) string {
	text := r.Verb + ": " + string(r.Result)
	if r.Result == audit.Sending {
		text = r.Verb + ": what became of it is not known"
	}
	for _, more := range []string{r.Reason, r.RequestID} {
		if more != "" {
			text += ", " + more
		}
	}
	if len(r.Overrides) > 0 {
		text += ", overriding " + strings.Join(r.Overrides, " ")
	}
	return models.Printable(text)
}

// workText is how a piece of work went: its outcome, its phases, and why it failed.
func workText(w *models.Work) string {
	took := ""
	if !w.End.IsZero() {
		took = models.Age(w.Took(w.End))
		if !w.Whole {
			took = "more than " + took
		}
	}
	text := ""
	switch w.Outcome {
	case models.OutcomeDone:
		text = "done in " + took
	case models.OutcomeFailed:
		text = "failed after " + took
	case models.OutcomeRunning:
		text = "goes on, or nobody saw its end"
	}
	var phases []string
	for i := range w.Phases {
		p := &w.Phases[i]
		one := p.Name()
		if !p.End.IsZero() {
			one += " " + models.Age(p.Took(p.End))
		}
		if p.Outcome == models.OutcomeFailed {
			one += " failed"
		}
		phases = append(phases, one)
	}
	if len(phases) > 0 {
		text += ": " + strings.Join(phases, ", ")
	}
	if w.Reason != "" {
		text += "; " + w.Reason
	}
	return models.Printable(text)
}

// completeKept completes nodes that the journal knows: Ironic is not asked.
func (a *app) completeKept(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	kept, _, err := a.offlineJournal(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer kept.Close()
	refs, err := kept.Nodes(cmd.Context(), "")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, ref := range refs {
		if label := models.Printable(ref.Label()); strings.HasPrefix(label, prefix) {
			names = append(names, label)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
