package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/replay"
)

// exportFlags holds the flags of the journal export command.
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
