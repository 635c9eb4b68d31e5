package task

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
)

const interruptedAtMost = 3

// WarnInterrupted warns about the interrupted deployments of the session's context when that is opened.
func (w *Workflow) WarnInterrupted(s *screen.Session) tea.Cmd {
	if !keepsDeployments(s) {
		return nil
	}
	kept, now := s.Checks.Deployments, time.Now()
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
			if i == interruptedAtMost {
				names = append(names, "…")
				break
			}
			names = append(names, u.Node.Label())
		}
		were := "1 deployment was"
		if len(list) > 1 {
			were = fmt.Sprintf("%d deployments were", len(list))
		}
		text := fmt.Sprintf("%s interrupted: %s (:%s resumes)", were, strings.Join(names, " "), action.DeployResume)
		return screen.Say{Level: screen.Warning, Text: text}
	}
}

// keepsDeployments reports whether the session records deployments on disk before it sends them.
func keepsDeployments(s *screen.Session) bool {
	return s != nil && s.Checks != nil && s.Checks.Deployments != nil
}

// Resume finds interrupted deployments and continues them. A deployment that Ironic has already accepted is only
// followed. All other deployments are reviewed in the same way as new ones.
func (w *Workflow) Resume() tea.Cmd {
	name := string(action.DeployResume)
	s := w.env.Session
	if !keepsDeployments(s) {
		w.warn(name + ": deployments are not recorded in this context")
		return nil
	}
	f := w.newFlow(name, s, nil)
	f.checked = true
	f.build = always(provision.Resume(s.Checks))
	f.command = func([]string) []string {
		words := []string{"deploy", "--resume"}
		for _, n := range f.nodes {
			words = append(words, n.Label())
		}
		return words
	}
	ctx, now := w.ctx, time.Now()
	return func() tea.Msg {
		list, err := s.Checks.Deployments.Unfinished(now)
		var nodes []models.Node
		var gone []provision.Unfinished
		if err == nil {
			nodes, gone, err = provision.FindUnfinished(ctx, s.Runner.API, list)
		}
		return f.event(stateFinding, func() tea.Cmd { return w.resumeFound(f, nodes, gone, err) }) //nolint:contextcheck // Update calls it
	}
}

// resumeFound checks the nodes with interrupted deployments. Ironic does not show the nodes of those in gone.
func (w *Workflow) resumeFound(f *flow, nodes []models.Node, gone []provision.Unfinished, err error) tea.Cmd {
	switch {
	case f.session != w.env.Session:
		return nil // the operator has switched to another context
	case err != nil:
		w.console.Say(failure(f.name, err))
		return nil
	case len(gone) > 0:
		var missing []string
		for _, u := range gone {
			missing = append(missing, u.Node.Label())
		}
		w.warn(fmt.Sprintf(textNodesGone, f.name, strings.Join(missing, " "), w.env.CommandLine("deploy", "--give-back")))
	case len(nodes) == 0:
		w.console.Say(screen.Say{Text: f.name + ": no interrupted deployments"})
	}
	if len(nodes) == 0 {
		return nil
	}
	if why := w.env.WhyReadOnly(); why != "" { // read-only mode may have been switched on since the key was pressed
		w.warn(f.name + ": " + why)
		return nil
	}
	for i := range nodes {
		f.nodes = append(f.nodes, nodes[i].Ref())
	}
	return w.check(f)
}
