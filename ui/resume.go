package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
)

// unfinishedAtMost is how many nodes are named.
const unfinishedAtMost = 3

// tellUnfinished tells of deployments that were interrupted, when their context is
// opened.
func (c *Console) tellUnfinished(s *screen.Session) tea.Cmd {
	if !keepsDeployments(s) {
		return nil
	}
	kept, now := s.Checks.Deployments, c.opts.Clock.Now()
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
		return screen.Say{Level: screen.Warning, Text: fmt.Sprintf("%s: %s (:%s goes on)", what, strings.Join(names, " "), action.DeployResume)}
	}
}

// keepsDeployments says that what a session deploys is on disk before it is sent.
func keepsDeployments(s *screen.Session) bool {
	return s != nil && s.Checks != nil && s.Checks.Deployments != nil
}

// resumable are the nodes whose deployments were interrupted, of one session.
type resumable struct {
	session *screen.Session
	nodes   []models.NodeRef
	// gone are the names of those that this Ironic does not have, or does not show.
	gone []string
	err  error
}

// resume looks for interrupted deployments, to go on with them.
func (c *Console) resume() tea.Cmd {
	s := c.env.Session
	if !keepsDeployments(s) {
		c.say(screen.Say{Level: screen.Warning, Text: string(action.DeployResume) + ": no deployments are kept here"})
		return nil
	}
	ctx, now := c.ctx, c.opts.Clock.Now()
	return func() tea.Msg {
		found := resumable{session: s}
		list, err := s.Checks.Deployments.Unfinished(now)
		if err != nil {
			found.err = err
			return found
		}
		nodes, gone, err := provision.FindUnfinished(ctx, s.Runner.API, list)
		for i := range nodes {
			found.nodes = append(found.nodes, nodes[i].Ref())
		}
		for _, u := range gone {
			found.gone = append(found.gone, models.Printable(u.Node.Label()))
		}
		found.err = err
		return found
	}
}

// resumes begins the checks of what was interrupted. What was sent already is only
// followed, without a question where nothing will be written; the rest is reviewed like
// every deployment.
func (c *Console) resumes(msg resumable) tea.Cmd {
	name := string(action.DeployResume)
	switch {
	case msg.session != c.env.Session:
		return nil // of a context that was left
	case msg.err != nil:
		c.say(failure(name, msg.err))
		return nil
	case len(msg.gone) > 0:
		c.say(screen.Say{Level: screen.Warning, Text: fmt.Sprintf("%s: there is no such node now: %s (%s forgets its deployment)",
			name, strings.Join(msg.gone, " "), c.env.CommandLine("deploy", "--give-back"))})
	case len(msg.nodes) == 0:
		c.say(screen.Say{Text: name + ": no deployment was interrupted"})
	}
	if len(msg.nodes) == 0 {
		return nil
	}
	if c.env.ReadOnly { // since the key was pressed
		c.say(screen.Say{Level: screen.Warning, Text: name + ": " + c.readOnlyText()})
		return nil
	}
	o := order{
		id: action.DeployResume, nodes: msg.nodes, session: msg.session, runner: msg.session.Runner,
		deploy: provision.Resume(msg.session.Checks), command: []string{"deploy", "--resume"},
	}
	for _, n := range msg.nodes {
		o.command = append(o.command, n.Label())
	}
	return c.check(o)
}
