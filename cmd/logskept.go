package cmd

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ironworks/models"
)

// linesAtOnce is how many lines are printed together.
const linesAtOnce = 1000

// pastLogs prints what was kept of the logs of nodes, one node after the other.
func (a *app) pastLogs(cmd *cobra.Command, order *logsOrder, names []string) error {
	kept, cfg, err := a.offlineJournal(cmd)
	if err != nil {
		return err
	}
	defer kept.Close()
	ctx := cmd.Context()
	for _, name := range names {
		node, err := a.keptNode(ctx, kept, name)
		if err != nil {
			return err
		}
		var lines []models.LogLine
		found := 0
		for l, err := range kept.Lines(ctx, node.UUID, order.from, time.Time{}) {
			if err != nil {
				return err
			}
			if found++; l.Level > order.least || !order.wanted.Match(&l) {
				continue
			}
			if lines = append(lines, l); len(lines) >= linesAtOnce {
				if err := a.printLines(lines); err != nil {
					return err
				}
				lines = lines[:0]
			}
		}
		if err := a.printLines(lines); err != nil {
			return err
		}
		if found == 0 {
			return fmt.Errorf("no line of the log of node %s was kept in %s: lines are kept while the console or ironworks logs follows the log",
				models.Printable(name), models.Printable(cfg.Current.Name))
		}
	}
	return nil
}
