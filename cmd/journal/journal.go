// Package journal implements the commands that inspect, export and prune the journal.
package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/replay"
)

type app struct{ *cli.App }

// Command returns the journal command.
func Command(a *cli.App) *cobra.Command {
	x := &app{a}
	cmd := cli.Group("journal info|export|prune", x.journalInfoCommand(), x.journalExportCommand(), x.journalPruneCommand())
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

type exportFlags struct {
	since, until, file string
	force              bool
}

func (a *app) journalExportCommand() *cobra.Command {
	var flags exportFlags
	cmd := &cobra.Command{
		Use:               "export NODE…",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteJournalNodes(),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.journalExport(cmd, &flags, args) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.since, "since", "", "age or time of the oldest record: 12h, 2026-03-14T14:00:00Z (default: all records)")
	f.StringVar(&flags.until, "until", "", "age or time of the newest record, as with --since")
	f.StringVar(&flags.file, "file", "", "file to write, or - for standard output (default: NODE-TIME.ironworks in the current directory)")
	f.BoolVar(&flags.force, "force", false, "replace an existing file")
	return cmd
}

func (a *app) journalExport(cmd *cobra.Command, flags *exportFlags, names []string) error {
	now := time.Now()
	from, err := cli.TimeFlag("--since", flags.since, now)
	if err != nil {
		return err
	}
	to := now
	if flags.until != "" {
		if to, err = cli.TimeFlag("--until", flags.until, now); err != nil {
			return err
		}
	}
	kept, cfg, err := a.OfflineJournal(cmd)
	if err != nil {
		return err
	}
	where := cfg.Current.Name
	defer kept.Close()
	x := &replay.Export{Source: kept, From: from, To: to, Header: replay.Header{Made: now, Program: "ironworks " + cli.Version(), Context: where}}
	for _, name := range names {
		node, err := a.JournalNode(cmd.Context(), kept, name)
		switch {
		case err != nil:
			return err
		case node.UUID == "":
			return fmt.Errorf("journal export: no records of node %s in context %s; "+
				"the console, ironworks watch and ironworks logs record what they see", name, where)
		}
		x.Header.Nodes = append(x.Header.Nodes, node)
	}
	return a.writeExport(cmd.Context(), x, flags, now)
}

// writeExport writes a recording to standard output or to a file. The file is written completely or not at all.
func (a *app) writeExport(ctx context.Context, x *replay.Export, flags *exportFlags, now time.Time) error {
	if flags.file == "-" {
		if _, is := cli.Terminal(a.Stdout); is {
			return cli.Usagef("--file -: refusing to write a recording to the terminal; use --file FILE")
		}
		return x.Write(ctx, a.Stdout)
	}
	path := flags.file
	if path == "" {
		path = replay.FileName(x.Header.Nodes[0].Label(), now)
	}
	size, err := x.WriteFile(ctx, path, flags.force)
	switch {
	case errors.Is(err, os.ErrExist):
		return a.Refusef("%s exists; pass --force to replace the file", path)
	case err != nil:
		return fmt.Errorf("journal export: %w", err)
	}
	err = a.PrintOut("%s: %s, %s\nplay: ironworks replay %s\n", path, x, models.FormatBytes(size), path)
	return err
}
