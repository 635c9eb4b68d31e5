package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/ironicclient"
	"ironworks/models/filter"
)

// Choices returns possible values of a flag; a value may be followed by a tab and a description. The result may
// include values that do not start with prefix, which Complete removes.
type Choices func(cmd *cobra.Command, prefix string) []cobra.Completion

// Complete implements cobra's completion function for flags.
func (c Choices) Complete(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp
	var found []cobra.Completion
	for _, v := range c(cmd, prefix) {
		if word, _, _ := strings.Cut(v, "\t"); strings.HasPrefix(word, prefix) {
			found = append(found, v)
			if strings.HasSuffix(word, "=") || strings.HasSuffix(word, ":") || strings.HasSuffix(word, ".") {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
		}
	}
	return found, directive
}

// CompleteFilter completes filter keys, known values, and the names of saved filters.
func (a *App) CompleteFilter(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var saved *filter.Saved
	if cfg, err := a.LoadConfig(cmd, false); err == nil {
		saved = cfg.Current.Filters
	}
	return Choices(func(*cobra.Command, string) []string { return saved.Complete(prefix, nil) }).Complete(nil, nil, prefix)
}

// completion completes up to limit arguments with the names that labels returns. A limit of 0 means any number.
func completion(limit int, labels func(cmd *cobra.Command) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) (names []string, _ cobra.ShellCompDirective) {
		if limit == 0 || len(args) < limit {
			for _, label := range labels(cmd) {
				if strings.HasPrefix(label, prefix) && !slices.Contains(args, label) {
					names = append(names, label)
				}
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteNodes returns a function that completes the names of nodes in Ironic. limit is the maximum number of
// arguments; 0 means any number.
func (a *App) CompleteNodes(limit int) cobra.CompletionFunc {
	return completion(limit, func(cmd *cobra.Command) (labels []string) {
		s, err := a.Connect(cmd)
		if err != nil {
			return nil
		}
		defer s.Close()
		ctx, cancel := context.WithTimeout(cmd.Context(), 2*time.Second)
		defer cancel()
		page, err := s.Client.NodePage(ctx, ironicclient.NodeQuery{Fields: []string{"uuid", "name"}})
		if err != nil {
			return nil
		}
		for i := range page.Nodes {
			labels = append(labels, page.Nodes[i].Label())
		}
		return labels
	})
}

// Words returns a Choices function whose result is always the given list.
func Words(list ...string) Choices {
	return func(*cobra.Command, string) []string { return list }
}

// CompleteBootDevice completes the device in the first argument, and node names in the arguments after it.
func (a *App) CompleteBootDevice(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return Words("pxe", "disk", "cdrom", "bios", "safe", "iscsiboot", "floppy", "usb").Complete(cmd, nil, prefix)
	}
	return a.CompleteNodes(0)(cmd, args, prefix)
}

// CompleteJournalNodes returns a function that completes one argument with the names of nodes in the journal. It
// sends no network requests.
func (a *App) CompleteJournalNodes() cobra.CompletionFunc {
	return completion(1, func(cmd *cobra.Command) (labels []string) {
		kept, _, err := a.OfflineJournal(cmd)
		if err != nil {
			return nil
		}
		defer kept.Close()
		refs, err := kept.Nodes(cmd.Context(), "")
		if err != nil {
			return nil
		}
		for _, ref := range a.visibleNodes(refs) {
			labels = append(labels, ref.Label())
		}
		return labels
	})
}
