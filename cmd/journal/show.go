package journal

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/journal"
	"ironworks/models"
)

func (a *app) journalCommand() *cobra.Command {
	cmd := cli.Group("journal info|export|prune", a.journalInfoCommand(), a.journalExportCommand(), a.journalPruneCommand())
	a.JournalFlag(cmd.PersistentFlags())
	return cmd
}

func (a *app) journalInfoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "info", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kept, _, err := a.OfflineJournal(cmd)
			if err != nil {
				return err
			}
			defer kept.Close()
			info, err := kept.Info(cmd.Context())
			if err != nil {
				return err
			}
			info.Nodes = cli.NonNil(info.Nodes)
			return a.Print(cli.Result{Data: info, Names: []string{info.Path}, Text: infoText(&info)})
		},
	}
}

// infoText formats the contents and limits of a journal.
func infoText(i *journal.Info) string {
	var b strings.Builder
	say := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	say("journal", "%s", i.Path)
	age := time.Duration(i.MaxAge) * time.Second
	bounds := fmt.Sprintf("log lines up to %s; log lines and snapshots for %s, other records for a year", models.FormatBytes(i.MaxSize), models.Age(age))
	if i.Bytes == 0 {
		say("on disk", "no records yet")
		say("limits", "%s", bounds)
		return b.String()
	}
	say("on disk", "%s, schema %d", models.FormatBytes(i.Bytes), i.Schema)
	for _, k := range []struct {
		name string
		kept journal.Amount
	}{{"transitions", i.Transitions}, {"operations", i.Works}, {"snapshots", i.Pictures}, {"log lines", i.Lines}} {
		text := fmt.Sprint(k.kept.Count)
		if k.kept.Count > 0 {
			text += fmt.Sprintf("  %s … %s", cli.TimeText(k.kept.First), cli.TimeText(k.kept.Last))
		}
		if k.kept.Bytes > 0 {
			text += "  " + models.FormatBytes(k.kept.Bytes)
		}
		say(k.name, "%s", text)
	}
	for n, node := range i.Nodes {
		name := ""
		if n == 0 {
			name = "most lines"
		}
		say(name, "%s  %d  %s", node.Node.Label(), node.Lines, models.FormatBytes(node.Bytes))
	}
	say("limits", "%s", bounds)
	if i.Dropped+i.DroppedLines > 0 {
		say("dropped", "%d records, %d log lines, because the journal could not be written; last %s", i.Dropped, i.DroppedLines, cli.TimeText(i.DroppedLast))
	}
	return b.String()
}

type pruneFlags struct {
	older, size, node string
	yes               bool
}

func (a *app) journalPruneCommand() *cobra.Command {
	var flags pruneFlags
	cmd := &cobra.Command{
		Use: "prune", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.prune(cmd, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.older, "older", "", "age of the records to delete: 30d, 2w, 12h")
	f.StringVar(&flags.size, "size", "", "maximum size of the file afterwards: 500MiB, 2GiB")
	f.StringVar(&flags.node, "node", "", "name or uuid of the node whose records to delete; with --older only its older records")
	f.BoolVarP(&flags.yes, "yes", "y", false, "skip the confirmation")
	_ = cmd.RegisterFlagCompletionFunc("node", a.CompleteJournalNodes()) // fails only for unknown flags
	return cmd
}

// parse converts all flags except --node to options. what describes the records to delete, for the confirmation.
func (f *pruneFlags) parse(now time.Time) (o journal.PruneOptions, what string, err error) {
	switch {
	case f.older == "" && f.size == "" && f.node == "":
		return o, "", cli.Usagef("prune: give --older, --size or --node")
	case f.size != "" && f.node != "":
		return o, "", cli.Usagef("--size and --node cannot be combined")
	}
	var parts []string
	if f.older != "" {
		age, err := models.ParseAge(f.older)
		if err != nil {
			return o, "", cli.Usagef("--older: %w", err)
		}
		o.Before = now.Add(-age)
		parts = append(parts, "records older than "+cli.TimeText(o.Before))
	}
	if f.size != "" {
		if o.Size, err = models.ParseBytes(f.size); err == nil && o.Size == 0 {
			err = fmt.Errorf("must be more than %s; --older 0d deletes all records", f.size)
		}
		if err != nil {
			return o, "", cli.Usagef("--size: %w", err)
		}
		parts = append(parts, "the oldest log lines and snapshots beyond "+models.FormatBytes(o.Size))
	}
	if what = strings.Join(parts, ", and "); what == "" {
		what = "all records"
	}
	return o, what, nil
}

func (a *app) prune(cmd *cobra.Command, flags pruneFlags) error {
	order, what, err := flags.parse(time.Now())
	if err != nil {
		return err
	}
	kept, _, err := a.OfflineJournal(cmd)
	if err != nil {
		return err
	}
	defer kept.Close()
	ctx := cmd.Context()
	info, err := kept.Info(ctx)
	if err != nil {
		return err
	}
	if flags.node != "" {
		node, err := a.JournalNode(ctx, kept, flags.node)
		if err != nil {
			return err
		}
		if node.UUID == "" {
			return fmt.Errorf("journal %s has no records of %s", info.Path, flags.node)
		}
		order.Node = node.UUID
		what += " of " + node.Label()
	}
	if err := a.confirmPrune(ctx, &info, what, flags.yes); err != nil {
		return err
	}
	went, err := kept.Prune(ctx, order)
	if err != nil {
		return err
	}
	return a.Print(cli.Result{Data: went, Names: []string{info.Path}, Text: prunedText(&went)})
}

// confirmPrune asks for confirmation. Without a terminal it refuses.
func (a *app) confirmPrune(ctx context.Context, info *journal.Info, what string, yes bool) error {
	text := fmt.Sprintf("delete %s from %s (%s)", what, info.Path, models.FormatBytes(info.Bytes))
	switch {
	case yes:
		return nil
	case !a.Interactive():
		a.PrintMessage("prune: %s", text)
		return a.Refusef("refused: stdin is not a terminal; pass --yes to confirm")
	}
	return a.AskYes(ctx, text+"? [y/N] ", "prune", "not confirmed, nothing was deleted")
}

func prunedText(p *journal.Pruned) string {
	return fmt.Sprintf("deleted %s, %s, %s, %s; %s on disk, was %s\n",
		models.Counted(int(p.Transitions), "transition"), models.Counted(int(p.Works), "operation"), models.Counted(int(p.Pictures), "snapshot"), models.Counted(int(p.Lines), "log line"), models.FormatBytes(p.After), models.FormatBytes(p.Before))
}
