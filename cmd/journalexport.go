package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/journal"
	"ironworks/models"
	"ironworks/replay"
)

// exportFlags are those of journal export.
type exportFlags struct {
	since, until, file string
	force              bool
}

func (a *app) journalExportCommand() *cobra.Command {
	var flags exportFlags
	cmd := &cobra.Command{
		Use:   "export NODE…",
		Short: "Write what was kept of nodes to one file, for ironworks replay",
		Long: "Write states, steps, work and log lines that the journal has of the nodes to one compressed file.\n" +
			"Secrets in it are masked; addresses and names are not. ironworks replay plays it back.",
		Example:           "  ironworks journal export n1 --since 12h\n  ironworks journal export n1 n2 --file last-night.ironworks",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.completeKept,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.journalExport(cmd, &flags, args) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.since, "since", "", "leave out what is older: 12h, or a time as in 2026-03-14T14:00:00Z (default: all that is kept)")
	f.StringVar(&flags.until, "until", "", "leave out what is newer, as with --since")
	f.StringVar(&flags.file, "file", "", "write here; - is the standard output (default NODE-TIME.ironworks in this folder)")
	f.BoolVar(&flags.force, "force", false, "replace the file if it is there")
	return cmd
}

func (a *app) journalExport(cmd *cobra.Command, flags *exportFlags, names []string) error {
	now := time.Now()
	from, err := sinceTime(flags.since, now)
	if err != nil {
		return err
	}
	to := now
	if flags.until != "" {
		if to, err = sinceTime(flags.until, now); err != nil {
			return usagef("--until %q: want 10m, 2h or a time as in 2026-03-14T14:00:00Z", models.Printable(flags.until))
		}
	}
	kept, cfg, err := a.offlineJournal(cmd)
	if err != nil {
		return err
	}
	where := cfg.Current.Name
	defer kept.Close()
	x := &export{journal: kept, from: from, to: to, header: replay.Header{Made: now, Program: "ironworks " + version(), Context: where}}
	for _, name := range names {
		node, err := a.keptNode(cmd.Context(), kept, name)
		switch {
		case err != nil:
			return err
		case node.UUID == "":
			return fmt.Errorf("journal export: nothing was kept of node %s in %s: "+
				"the console, ironworks watch and ironworks logs keep what they see", models.Printable(name), models.Printable(where))
		}
		x.header.Nodes = append(x.header.Nodes, node)
	}
	return a.writeExport(cmd.Context(), x, flags, now)
}

// writeExport writes it where it is wanted, all of it or nothing.
func (a *app) writeExport(ctx context.Context, x *export, flags *exportFlags, now time.Time) error {
	if flags.file == "-" {
		if _, is := terminal(a.stdout); is {
			return usagef("--file -: a recording is no text; send it to a file")
		}
		return x.write(ctx, a.stdout)
	}
	path := flags.file
	if path == "" {
		path = fileName(x.header.Nodes[0].Label()) + "-" + now.Format("20060102-150405") + ".ironworks"
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".ironworks-export-*") // 0600
	if err != nil {
		return fmt.Errorf("journal export: %w", err)
	}
	defer os.Remove(f.Name()) //nolint:errcheck // it has its name, or is of no use
	err = x.write(ctx, f)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("journal export: %w", err)
	}
	place := os.Link
	if flags.force {
		place = os.Rename
	}
	switch err := place(f.Name(), path); {
	case errors.Is(err, os.ErrExist):
		return a.refusef("%s is there; --force replaces it", models.Printable(path))
	case err != nil:
		return fmt.Errorf("journal export: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("journal export: %w", err)
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %s, %s\nironworks replay %s plays it\n", models.Printable(path), x.told(), models.FormatBytes(info.Size()), models.Printable(path))
	return err
}

// fileName is a node's name as a part of a file's.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.~", r) {
			return r
		}
		return '-'
	}, strings.TrimLeft(name, ".-"))
}

// export is what is written of a journal.
type export struct {
	journal  *journal.Journal
	header   replay.Header
	from, to time.Time

	pictures, events, works, lines int
}

func (x *export) write(ctx context.Context, out io.Writer) error {
	w, err := replay.NewWriter(out, x.header)
	if err != nil {
		return err
	}
	for _, n := range x.header.Nodes {
		if err := x.node(ctx, w, n.UUID); err != nil {
			return err
		}
	}
	if x.pictures+x.events+x.lines == 0 {
		return errors.New("nothing was kept of that time; ironworks journal info says what was")
	}
	return w.Close()
}

func (x *export) node(ctx context.Context, w *replay.Writer, uuid string) error {
	pictures, err := x.journal.Pictures(ctx, uuid, x.from, x.to)
	if err != nil {
		return err
	}
	for i := range pictures {
		if p := &pictures[i]; p.At.Before(x.from) {
			p.At = x.from // how it stood when the recording begins
		}
		if err := w.Picture(&pictures[i]); err != nil {
			return err
		}
		x.pictures++
	}
	events, err := x.journal.Transitions(ctx, uuid, x.from)
	if err != nil {
		return err
	}
	for i := range events {
		if events[i].Time.After(x.to) {
			break
		}
		if err := w.Event(&events[i]); err != nil {
			return err
		}
		x.events++
	}
	works, err := x.journal.OfNode(ctx, uuid, mostWorks)
	if err != nil {
		return err
	}
	for i := range works {
		if works[i].Begin.After(x.to) {
			continue
		}
		if err := w.Work(&works[i]); err != nil {
			return err
		}
		x.works++
	}
	return x.log(ctx, w, uuid)
}

func (x *export) log(ctx context.Context, w *replay.Writer, uuid string) error {
	for l, err := range x.journal.Lines(ctx, uuid, x.from, x.to) {
		if err != nil {
			return err
		}
		if err := w.Line(&l); err != nil {
			return err
		}
		x.lines++
	}
	return nil
}

// told says what was written.
func (x *export) told() string {
	return fmt.Sprintf("%s, %s, %s, %s, %s", counted(len(x.header.Nodes), "node"), counted(x.pictures, "state"), counted(x.events, "event"),
		counted(x.works, "past work"), counted(x.lines, "log line"))
}
