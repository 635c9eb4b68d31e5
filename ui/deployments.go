package ui

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
)

// deploys says that an action is a deployment, which has checks.
func deploys(id action.ID) bool {
	verb, ok := action.AsVerb(id)
	return ok && (verb == models.VerbDeploy || verb == models.VerbRebuild)
}

// buildDeployment makes the deployment that a form asks for, without the file of user
// data; field names what is wrong.
func buildDeployment(a arguments) (d provision.Deployment, field string, err error) {
	req, field, err := buildRequest(models.VerbDeploy, a)
	if err != nil {
		return d, field, err
	}
	d.Fields.Steps = req.DeploySteps
	if text := strings.TrimSpace(a[fieldHints]); text != "" {
		rootHints, err := hints.Decode([]byte(text))
		if err == nil && !rootHints.Given() {
			err = fmt.Errorf("there are no hints in it")
		}
		if err != nil {
			return d, fieldHints, fmt.Errorf("root device hints: %w", err)
		}
		d.Fields.RootDevice = plan.RootDevice{Hints: rootHints, To: hints.OfInstance}
	}
	return d, "", nil
}

// deployment makes the action of an order, and reads the file of user data.
func (o *order) deployment() (*provision.DeployAction, error) {
	d, _, err := buildDeployment(o.args)
	if err != nil {
		return nil, err
	}
	if path := strings.TrimSpace(o.args[fieldUserData]); path != "" {
		if d, err = d.WithUserDataFile(path); err != nil {
			return nil, fmt.Errorf("user data: %w", err)
		}
	}
	makes := provision.Deploy
	if verb, _ := action.AsVerb(o.id); verb == models.VerbRebuild {
		makes = provision.Rebuild
	}
	return makes(o.session.Checks, provision.DeployOptions{
		For: func(*models.Node) (provision.Deployment, error) { return d, nil },
	}), nil
}

// checking carries the box of a preflight along, to be listened to again.
type checking struct {
	wait *overlay.Wait
	box  *mailbox[int]
	done int
}

// checked is a preflight that has ended.
type checked struct {
	wait     *overlay.Wait
	prepared prepared
}

// check looks at the nodes as they are now and does all checks before a deployment. What
// was found before counts no more, but for what was overridden in this very order.
func (c *Console) check(o order) tea.Cmd {
	if o.deploy == nil && o.session.Checks == nil {
		c.say(screen.Say{Level: screen.Warning, Text: string(o.id) + ": its checks cannot be done here"})
		return nil
	}
	ctx, cancel := context.WithCancel(c.ctx)
	box := newMailbox[int]()
	wait := overlay.NewWait(fmt.Sprintf("%s %s", o.id, nodesText(o.nodes)),
		"Doing the checks. Ironic asks the BMC, which may take its time.", len(o.nodes), cancel)
	running := c.running
	running.Add(1)
	work := func() tea.Msg {
		defer running.Done()
		defer cancel()
		defer box.close()
		p := prepared{order: o}
		p.order.deploy, p.plan, p.err = preflight(ctx, o, func() { box.put(func(n *int) { *n++ }) })
		return checked{wait: wait, prepared: p}
	}
	return tea.Batch(c.show(wait), work, c.listenChecks(checking{wait: wait, box: box}))
}

// preflight does the checks of an order, by an action of their own.
func preflight(ctx context.Context, o order, told func()) (*provision.DeployAction, provision.Batch, error) {
	act, err := o.deploy, error(nil)
	if act == nil {
		if act, err = o.deployment(); err != nil {
			return nil, provision.Batch{}, err
		}
	}
	act = act.Overriding(o.overrides).Telling(func(models.NodeRef) { told() })
	ids := make([]string, len(o.nodes))
	for i, n := range o.nodes {
		ids[i] = n.UUID
	}
	nodes, err := provision.FindNodes(ctx, o.runner.API, ids)
	if err != nil {
		return act, provision.Batch{}, err
	}
	act.Preflight(ctx, nodes)
	return act, o.runner.Plan(act, nodes), ctx.Err()
}

func (c *Console) listenChecks(at checking) tea.Cmd {
	ctx := c.ctx
	return func() tea.Msg {
		n, ok := at.box.take(ctx)
		if !ok {
			return nil
		}
		at.done += n
		return at
	}
}

// deployNews takes a deployment on its way to the task one step on.
func (c *Console) deployNews(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case checking:
		msg.wait.Done = msg.done
		return c.listenChecks(msg)
	case checked:
		// Who has left the dialog in front wants nothing more of it.
		i := slices.Index(c.overlays, screen.Overlay(msg.wait))
		if i < 0 {
			return nil
		}
		c.overlays = slices.Delete(c.overlays, i, i+1)
		return c.checked(msg.prepared)
	case reviewed:
		return c.review(msg.prepared)
	case refusedAgain:
		return c.showRefused(msg.prepared)
	case resumable:
		return c.resumes(msg)
	case overriding:
		return c.askOverride(msg)
	case overridden:
		o := msg.prepared.order
		o.overrides = maps.Clone(o.overrides)
		if o.overrides == nil {
			o.overrides = map[string][]plan.CheckID{}
		}
		o.overrides[msg.node] = append(slices.Clone(o.overrides[msg.node]), msg.check)
		return c.check(o)
	}
	return nil
}

// checked shows what came out of the checks: why it is refused, or what it would do.
func (c *Console) checked(p prepared) tea.Cmd {
	switch {
	case p.err != nil:
		c.say(failure(string(p.order.id), p.err))
		return nil
	case len(p.plan.Refused()) > 0:
		return c.showRefused(p)
	case onlyFollows(p.order.deploy, p.plan):
		return c.askFollow(p)
	}
	return c.review(p)
}

// askFollow begins to follow deployments that Ironic has. It asks first where something is
// written to a node at the end: nobody has seen that here.
func (c *Console) askFollow(p prepared) tea.Cmd {
	var lines []overlay.Text
	for _, i := range p.plan.Legal() {
		for _, request := range p.order.deploy.Requests(&i.Node) {
			lines = append(lines, overlay.Text{Text: models.Printable(i.Node.Label()) + ":"})
			for line := range strings.SplitSeq(request.String(), "\n") {
				lines = append(lines, overlay.Text{Text: line})
			}
		}
	}
	if len(lines) == 0 {
		return c.run(p.order, p.plan)
	}
	return c.show(overlay.NewConfirm(c.opts.Clock, overlay.Question{
		Title: "Follow " + planText(p.plan.Legal()), Lines: lines, Ask: "Follow " + planText(p.plan.Legal()) + "?", Yes: screen.Wish(confirmed{p}),
	}))
}

// onlyFollows says that nothing will be deployed: Ironic has all of it already.
// Other actions than deployments, which are nil here, never do.
func onlyFollows(act *provision.DeployAction, plan provision.Batch) bool {
	return act != nil && !slices.ContainsFunc(plan.Legal(), func(i provision.Item) bool { return !act.OnlyFollows(&i.Node) })
}

// startDeployment begins a deployment that a screen has shown and somebody confirmed.
// The plan is carried out by the action that did the checks, whatever the plan says.
func (c *Console) startDeployment(msg screen.StartDeployment) tea.Cmd {
	why := ""
	switch {
	case c.env.Session == nil:
		why = "there is no Ironic: no context is open"
	case c.env.ReadOnly:
		why = c.readOnlyText()
	case msg.Action != nil && !msg.Action.CheckedBy(c.env.Session.Checks):
		why = "its checks were done on another Ironic; nothing was sent"
	case msg.Action == nil || len(msg.Plan.Legal()) == 0:
		why = "there is no node that its checks let pass"
	}
	if why != "" {
		c.say(screen.Say{Level: screen.Warning, Text: "deploy: " + why})
		return nil
	}
	plan := msg.Plan
	plan.Action = msg.Action
	return c.run(order{
		id: action.ID(msg.Action.Name()), nodes: msg.Nodes, session: c.env.Session, runner: c.env.Session.Runner,
		deploy: msg.Action, command: msg.Command,
	}, plan)
}

// overrideWords are the flags for what was overridden. A command line overrides its
// checks on all nodes that it confirms: where these differ there are no such words, and
// the command refuses, rather than that it overrides too much.
func (o *order) overrideWords() []string {
	var list []string
	var same []plan.CheckID
	for _, n := range o.nodes {
		checks := o.overrides[n.UUID]
		switch {
		case len(checks) == 0:
			continue
		case same == nil:
			same = checks
		case !slices.Equal(same, checks):
			return nil
		}
		list = append(list, "--confirm", n.Label())
	}
	for _, id := range same {
		list = append(list, "--override", string(id))
	}
	return list
}
