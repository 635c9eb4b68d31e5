package cmd

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/config"
	"ironworks/journal"
	"ironworks/models"
)

func (a *app) journalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "journal info|export|prune", Short: "Show what is kept of the past of a context, make a recording of it, or make it less",
		Long: "The journal is a file on this machine: what happened to nodes, how they stood, and what their ramdisks wrote,\n" +
			"as far as it was seen from here. Ironic is not asked. ironworks history shows what there is of a node.",
	}
	a.journalFlag(cmd.PersistentFlags())
	cmd.AddCommand(a.journalInfoCommand(), a.journalExportCommand(), a.journalPruneCommand())
	return needsSubcommand(cmd)
}

func (a *app) journalFlag(f *pflag.FlagSet) {
	f.StringVar(&a.journalFile, "journal", "", "journal to read instead of that of the context, such as journal-lab.db in a lab's --lab-state")
}

// offlineJournal is the journal of the selected context, or in the file that was named
// instead; nothing is asked over the network for it. It has to be closed.
func (a *app) offlineJournal(cmd *cobra.Command) (*journal.Journal, *config.Config, error) {
	if a.journalFile != "" {
		cfg, err := a.namedJournal()
		if err != nil {
			return nil, nil, err
		}
		return a.openNamed(cmd.Context()), cfg, nil
	}
	cfg, err := a.load(cmd)
	if err != nil {
		return nil, nil, err
	}
	host := a.host()
	return host.Journal(cmd.Context(), &cfg.Current, func(err error) { a.complain("%v", err) }), cfg, nil
}

// openNamed opens the journal that was named instead of the context's.
func (a *app) openNamed(ctx context.Context) *journal.Journal {
	return journal.Open(ctx, journal.Options{Path: a.journalFile, Clock: clock{}, Trouble: func(err error) { a.complain("%v", err) }})
}

// namedJournal is a configuration of the journal's context alone: it may be of another
// machine, and its audit is not here.
func (a *app) namedJournal() (*config.Config, error) {
	switch info, err := os.Stat(a.journalFile); {
	case err != nil:
		return nil, fmt.Errorf("--journal: %w", err)
	case info.IsDir():
		return nil, usagef("--journal %s is a folder; the journals in it are journal-CONTEXT.db", models.Printable(a.journalFile))
	}
	cfg := &config.Config{}
	cfg.Current.Name = config.JournalContext(a.journalFile)
	return cfg, nil
}

func (a *app) journalInfoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "info", Short: "Show what the journal has, and what bounds it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kept, _, err := a.offlineJournal(cmd)
			if err != nil {
				return err
			}
			defer kept.Close()
			info, err := kept.Info(cmd.Context())
			if err != nil {
				return err
			}
			info.Nodes = nonNil(info.Nodes)
			return a.print(result{data: info, names: []string{info.Path}, text: infoText(&info)})
		},
	}
}

// infoText is what a journal has, for people.
func infoText(i *journal.Info) string {
	var b strings.Builder
	say := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s %s\n", name, models.Printable(fmt.Sprintf(format, args...)))
	}
	say("journal", "%s", i.Path)
	age := time.Duration(i.MaxAge) * time.Second
	bounds := fmt.Sprintf("lines take %s at most; lines and pictures are kept for %s, all else for a year", models.FormatBytes(i.MaxSize), models.Age(age))
	if i.Bytes == 0 {
		say("on disk", "nothing yet")
		say("bounds", "%s", bounds)
		return b.String()
	}
	say("on disk", "%s, schema %d", models.FormatBytes(i.Bytes), i.Schema)
	for _, k := range []struct {
		name string
		kept journal.Kept
	}{{"transitions", i.Transitions}, {"works", i.Works}, {"pictures", i.Pictures}, {"lines", i.Lines}} {
		text := fmt.Sprint(k.kept.Count)
		if k.kept.Count > 0 {
			text += fmt.Sprintf("  %s … %s", timeText(k.kept.First), timeText(k.kept.Last))
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
	say("bounds", "%s", bounds)
	if i.Dropped+i.DroppedLines > 0 {
		say("not kept", "%d records, %d lines: there was no room for them while nothing could be written; the last %s", i.Dropped, i.DroppedLines, timeText(i.DroppedLast))
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
		Use: "prune", Short: "Take what is old, or of a node, out of the journal, and give the room on the disk back", Args: cobra.NoArgs,
		Long: "Take records out of the journal of the context, and give their room on the disk back.\n" +
			"--size takes the oldest lines of logs, and then the oldest pictures of nodes; what happened stays.\n" +
			"Nothing is sent to Ironic, and other programs may go on writing.",
		Example: "  ironworks journal prune --older 30d\n  ironworks journal prune --size 500MiB --yes\n  ironworks journal prune --node r7-n01",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.prune(cmd, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.older, "older", "", "all that is older than this: 30d, 2w, 12h")
	f.StringVar(&flags.size, "size", "", "so much that the file has no more than this: 500MiB, 2GiB")
	f.StringVar(&flags.node, "node", "", "all of this node, by name or uuid; with --older what of it is older")
	f.BoolVarP(&flags.yes, "yes", "y", false, "do not ask")
	_ = cmd.RegisterFlagCompletionFunc("node", a.completeKept) // it fails for flags that are not there
	return cmd
}

// order reads the flags, but for the node; what says what goes, for people.
func (f *pruneFlags) order(now time.Time) (o journal.PruneOptions, what string, err error) {
	switch {
	case f.older == "" && f.size == "" && f.node == "":
		return o, "", usagef("prune what? --older, --size or --node says")
	case f.size != "" && f.node != "":
		return o, "", usagef("--size is of the whole file: it does not go with --node")
	}
	var parts []string
	if f.older != "" {
		age, err := models.ParseAge(f.older)
		if err != nil {
			return o, "", usagef("--older: %w", err)
		}
		o.Before = now.Add(-age)
		parts = append(parts, "what is older than "+timeText(o.Before))
	}
	if f.size != "" {
		if o.Size, err = models.ParseBytes(f.size); err == nil && o.Size == 0 {
			err = fmt.Errorf("a file of %s cannot be: --older 0d takes all", f.size)
		}
		if err != nil {
			return o, "", usagef("--size: %w", err)
		}
		parts = append(parts, "the oldest lines and pictures beyond "+models.FormatBytes(o.Size))
	}
	if what = strings.Join(parts, ", and "); what == "" {
		what = "all"
	}
	return o, what, nil
}

func (a *app) prune(cmd *cobra.Command, flags pruneFlags) error {
	order, what, err := flags.order(time.Now())
	if err != nil {
		return err
	}
	kept, _, err := a.offlineJournal(cmd)
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
		node, err := a.keptNode(ctx, kept, flags.node)
		if err != nil {
			return err
		}
		if node.UUID == "" {
			return fmt.Errorf("journal %s has nothing of %s", info.Path, models.Printable(flags.node))
		}
		order.Node = node.UUID
		what += " of " + models.Printable(node.Label())
	}
	if err := a.confirmPrune(ctx, &info, what, flags.yes); err != nil {
		return err
	}
	went, err := kept.Prune(ctx, order)
	if err != nil {
		return err
	}
	return a.print(result{data: went, names: []string{info.Path}, text: prunedText(&went)})
}

// confirmPrune asks; without somebody to ask it is refused.
func (a *app) confirmPrune(ctx context.Context, info *journal.Info, what string, yes bool) error {
	text := fmt.Sprintf("%s goes, from %s (%s)", what, info.Path, models.FormatBytes(info.Bytes))
	switch {
	case yes:
		return nil
	case !a.interactive():
		a.complain("prune: %s", text)
		return a.refusef("refused: nobody can be asked here; --yes says that you mean it")
	}
	answer, err := a.ask(ctx, models.Printable(text)+". Go on? [y/N] ")
	if err != nil {
		return err
	}
	if !isYes(answer) {
		return &models.Refusal{Kind: models.RefusedUnconfirmed, Action: "prune", Why: "not confirmed, nothing went"}
	}
	return nil
}

func prunedText(p *journal.Pruned) string {
	return fmt.Sprintf("gone: %s, %s, %s, %s; %s on disk, before %s\n",
		counted(int(p.Transitions), "transition"), counted(int(p.Works), "past work"), counted(int(p.Pictures), "picture"), counted(int(p.Lines), "log line"), models.FormatBytes(p.After), models.FormatBytes(p.Before))
}

// keptNode is the node that the journal knows under a name or uuid; the zero one if it
// knows none. Of several that had the name it is the one that was seen last.
func (a *app) keptNode(ctx context.Context, kept *journal.Journal, name string) (models.NodeRef, error) {
	refs, err := kept.Nodes(ctx, name)
	if err != nil || len(refs) == 0 {
		return models.NodeRef{}, err
	}
	for _, other := range refs[1:] {
		a.complain("note: %s was the name of %s, too; that one is meant by its uuid", models.Printable(name), models.Printable(other.UUID))
	}
	return refs[0], nil
}
