package task

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
)

// interruptedAtMost is the maximum number of nodes that the warning names.
const interruptedAtMost = 3

// WarnInterrupted warns about the interrupted deployments of the session's context. It is called when the context is
// opened.
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
		return screen.Say{Level: screen.Warning, Text: fmt.Sprintf(textInterrupted,
			english.Plural(len(list), "deployment was", "deployments were"), strings.Join(names, " "), action.DeployResume)}
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
		w.warn(name + textNotRecorded)
		return nil
	}
	f := w.newFlow(name, s, nil)
	f.checked = true
	f.build = func() (provision.Action, error) { return provision.Resume(s.Checks), nil }
	f.command = func([]string) []string {
		words := []string{"deploy", "--resume"}
		for _, n := range f.nodes {
			words = append(words, n.Label())
		}
		return words
	}
	ctx, now := w.ctx, time.Now()
	return func() tea.Msg {
		var found interruptedFound
		list, err := s.Checks.Deployments.Unfinished(now)
		if err != nil {
			return Msg{f, interruptedFound{err: err}}
		}
		nodes, gone, err := provision.FindUnfinished(ctx, s.Runner.API, list)
		for i := range nodes {
			found.nodes = append(found.nodes, nodes[i].Ref())
		}
		for _, u := range gone {
			found.missing = append(found.missing, u.Node.Label())
		}
		found.err = err
		return Msg{f, found}
	}
}

func (w *Workflow) resumeFound(f *flow, found interruptedFound) tea.Cmd {
	switch {
	case f.session != w.env.Session:
		return nil // the operator has switched to another context
	case found.err != nil:
		w.console.Say(failure(f.name, found.err))
		return nil
	case len(found.missing) > 0:
		w.warn(fmt.Sprintf(textNodesGone,
			f.name, strings.Join(found.missing, " "), w.env.CommandLine("deploy", "--give-back")))
	case len(found.nodes) == 0:
		w.console.Say(screen.Say{Text: f.name + textNothingInterrupted})
	}
	if len(found.nodes) == 0 {
		return nil
	}
	if why := w.env.WhyReadOnly(); why != "" { // read-only mode may have been switched on since the key was pressed
		w.warn(f.name + ": " + why)
		return nil
	}
	f.nodes = found.nodes
	return w.check(f)
}
