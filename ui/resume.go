package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/screen"
)

// unfinishedAtMost is how many nodes are named.
const unfinishedAtMost = 3

// tellUnfinished tells of deployments that were interrupted, when their context is
// opened. Going on with them is the command's.
func (c *Console) tellUnfinished(s *screen.Session) tea.Cmd {
	if s.Checks == nil || s.Checks.Deployments == nil {
		return nil
	}
	kept, now := s.Checks.Deployments, c.opts.Clock.Now()
	words := append([]string{c.opts.Program}, s.Options...)
	return func() tea.Msg {
		list, err := kept.Unfinished(now)
		if err != nil {
			return failure("unfinished deployments", err)
		}
		if len(list) == 0 {
			return nil
		}
		var names []string
		for i, u := range list {
			if i == unfinishedAtMost {
				names = append(names, "…")
				break
			}
			names = append(names, models.Printable(u.Node.Label()))
		}
		what := "1 deployment was interrupted"
		if len(list) > 1 {
			what = fmt.Sprintf("%d deployments were interrupted", len(list))
		}
		return screen.Say{Level: screen.Warning, Text: fmt.Sprintf("%s: %s (%s deploy --resume goes on)",
			what, strings.Join(names, " "), strings.Join(words, " "))}
	}
}
