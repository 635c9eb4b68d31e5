package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/config"
	"ironworks/journal"
	"ironworks/models"
)

// OfflineJournal opens the journal file given with --journal or, without that flag, the journal of the selected
// context. It sends no network requests. The caller closes the journal.
func (a *App) OfflineJournal(cmd *cobra.Command) (*journal.Journal, *config.Config, error) {
	if a.JournalFile != "" {
		cfg, err := a.namedJournal()
		if err != nil {
			return nil, nil, err
		}
		return a.OpenNamed(cmd.Context()), cfg, nil
	}
	cfg, err := a.Load(cmd)
	if err != nil {
		return nil, nil, err
	}
	host := a.Host()
	return host.Journal(cmd.Context(), &cfg.Current, func(err error) { a.PrintMessage("%v", err) }), cfg, nil
}

// JournalFlag adds the --journal flag.
func (a *App) JournalFlag(f *pflag.FlagSet) {
	f.StringVar(&a.JournalFile, "journal", "", "journal file to read (default: the context's journal), such as journal-lab.db in a --lab-state directory")
}

// OpenNamed opens the journal file given with --journal.
func (a *App) OpenNamed(ctx context.Context) *journal.Journal {
	return journal.Open(ctx, journal.Options{Path: a.JournalFile, OnError: func(err error) { a.PrintMessage("%v", err) }})
}

// namedJournal returns a configuration that contains only the context to which the --journal file belongs. The audit
// log of that context may be on another computer.
func (a *App) namedJournal() (*config.Config, error) {
	switch info, err := os.Stat(a.JournalFile); {
	case err != nil:
		return nil, fmt.Errorf("--journal: %w", err)
	case info.IsDir():
		return nil, Usagef("--journal %s is a directory; give a file in it, such as journal-CONTEXT.db", a.JournalFile)
	}
	cfg := &config.Config{}
	cfg.Current.Name = config.JournalContext(a.JournalFile)
	return cfg, nil
}

// JournalNode finds a node in the journal by its name or UUID. It returns the zero value if there is none. If several
// nodes had that name, it returns the one seen last.
func (a *App) JournalNode(ctx context.Context, kept *journal.Journal, name string) (models.NodeRef, error) {
	refs, err := kept.Nodes(ctx, name)
	if refs = a.visibleNodes(refs); err != nil || len(refs) == 0 {
		return models.NodeRef{}, err
	}
	for _, other := range refs[1:] {
		a.PrintMessage("note: node %[2]s was also named %[1]s in the past; select it by UUID", name, other.UUID)
	}
	return refs[0], nil
}
