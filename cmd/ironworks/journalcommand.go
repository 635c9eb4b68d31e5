package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ironworks/config"
	"ironworks/journal"
	"ironworks/models"
)

func (a *app) journalCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "journal info|prune|export", Short: "What was kept of nodes: what happened to them, and their logs",
		Long: "The journal is a file on this machine: what happened to nodes, how they stood, and what their ramdisks wrote,\n" +
			"as far as it was seen from here. Ironic is not asked. ironworks history shows the past of a node.",
	}
	cmd.PersistentFlags().StringVar(&file, "journal", "", "file to read instead of that of the context, such as journal-lab.db in a lab's --lab-state")
	cmd.AddCommand(a.journalInfoCommand(&file), a.journalPruneCommand(&file), a.journalExportCommand(&file))
	return needsSubcommand(cmd)
}

// kept opens what was kept: in a file, or of the context that is chosen; where names it.
func (a *app) kept(cmd *cobra.Command, file string) (j *journal.Journal, where string, err error) {
	if file != "" {
		if info, err := os.Stat(file); err != nil {
			return nil, "", fmt.Errorf("journal: %w", err)
		} else if info.IsDir() {
			return nil, "", usagef("--journal %s: it is a folder; the journals in it are journal-CONTEXT.db", models.Printable(file))
		}
		return journal.Open(cmd.Context(), journal.Options{Path: file, Clock: clock{}}), config.JournalContext(file), nil
	}
	cfg, err := a.loadConfig(cmd, false)
	if err != nil {
		return nil, "", err
	}
	return openJournal(cmd.Context(), &cfg.Files, &cfg.Current, func(error) {}), cfg.Current.Name, nil
}
