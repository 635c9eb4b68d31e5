package ui

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/deploy"
)

// order is an action on nodes on its way from the key to the task: arguments, a fresh
// look at the nodes, a plan, an answer, and then it is sent.
type order struct {
	id      action.ID
	args    arguments
	nodes   []models.NodeRef
	session *screen.Session
	runner  provision.Runner
	// exact is the action itself where no form asks for its arguments: what it sends is
	// shown first, as it is. command are the words that do the same.
	exact   provision.Action
	command []string
	// made is an action that was made already; nil where it is made of the arguments.
	made provision.Action
	// deploy is the action of a deployment, once it was made, and overrides are the checks
	// that were overridden on nodes, by their uuids.
	deploy    *provision.DeployAction
	overrides map[string][]plan.CheckID
	// retries is the task that this is another try of, 0 for none.
	retries int
}

// prepared is an order with its plan, ready to be asked about.
type prepared struct {
	order order
	plan  provision.Batch
	// disks are those of the first machines, where something may be erased.
	disks map[string][]models.Detail
	err   error
}

// begin takes an action on nodes up: it asks for the arguments where it has some, with what
// is filled in already.
func (c *Console) begin(id action.ID, nodes []models.NodeRef, filled arguments) tea.Cmd {
	switch {
	case len(nodes) == 0 || c.env.Session == nil:
		c.say(screen.Say{Level: screen.Warning, Text: string(id) + ": no node is chosen"})
		return nil
	case id == action.Validate:
		return c.validate(nodes[0])
	case id == action.DeployWizard:
		return c.open(screen.Ref{Kind: screen.KindDeploy, ID: deploy.ID(nodes)})
	}
	o := order{id: id, nodes: nodes, session: c.env.Session, runner: c.env.Session.Runner}
	o.runner.ReadOnly = o.runner.ReadOnly || c.env.ReadOnly
	fields := formFields(id)
	if fields == nil {
		return c.prepare(o)
	}
	for i := range fields {
		if value := filled[fields[i].Key]; value != "" {
			fields[i].Value = value
		}
	}
	return c.show(overlay.NewForm(fmt.Sprintf("%s %s", id, nodesText(nodes)), fields, func(v map[string]string) (tea.Cmd, string, string) {
		o.args = v
		// What can be said without reading a file is said while the form is open.
		if field, err := wrong(id, v); err != nil {
			return nil, field, models.Printable(err.Error())
		}
		return screen.Wish(ordered{o}), "", ""
	}))
}

// wrong is what is wrong with the arguments of an action.
func wrong(id action.ID, a arguments) (field string, err error) {
	if deploys(id) {
		_, field, err = buildDeployment(a)
		return field, err
	}
	_, field, err = build(id, a)
	return field, err
}

// ordered is an order whose form was filled in.
type ordered struct{ order order }

func nodesText(nodes []models.NodeRef) string {
	if len(nodes) == 1 {
		return models.Printable(nodes[0].Label())
	}
	return fmt.Sprintf("%d nodes", len(nodes))
}

// cardsAtMost is of how many machines the identity is shown in full.
const cardsAtMost = 5

// prepare looks at the nodes as they are now and plans.
func (c *Console) prepare(o order) tea.Cmd {
	if deploys(o.id) {
		return c.check(o)
	}
	if len(o.nodes) > 1 {
		c.say(screen.Say{Text: fmt.Sprintf("%s: looking at %d nodes…", o.id, len(o.nodes))})
	}
	ctx := c.ctx
	return func() tea.Msg {
		p := prepared{order: o}
		act, err := o.action()
		if err != nil {
			p.err = err
			return p
		}
		ids := make([]string, len(o.nodes))
		for i, n := range o.nodes {
			ids[i] = n.UUID
		}
		nodes, err := provision.FindNodes(ctx, o.runner.API, ids)
		if err != nil {
			p.err = err
			return p
		}
		p.plan = o.runner.Plan(act, nodes)
		p.disks = disksOf(ctx, o.session.API, p.plan)
		return p
	}
}

// action is what is done to the nodes.
func (o *order) action() (provision.Action, error) {
	switch {
	case o.exact != nil:
		return o.exact, nil
	case o.made != nil:
		return o.made, nil
	case deploys(o.id):
		return o.deployment()
	}
	act, _, err := build(o.id, o.args)
	return act, err
}

// disksOf reads what inspection found in the first machines that may be erased.
func disksOf(ctx context.Context, api provision.Inventories, plan provision.Batch) map[string][]models.Detail {
	disks := map[string][]models.Detail{}
	for _, i := range plan.Legal() {
		if i.Effect.Danger >= models.DangerMayErase && len(disks) < cardsAtMost {
			disks[i.Node.UUID] = provision.Disks(ctx, api, i.Node.UUID)
		}
	}
	return disks
}

// ready asks, where there is something to lose or there are several nodes, and runs.
func (c *Console) ready(p prepared) tea.Cmd {
	if p.err != nil {
		c.say(failure(string(p.order.id), p.err))
		return nil
	}
	legal, refused := p.plan.Legal(), p.plan.Refused()
	if len(legal) == 0 {
		return c.tellRefused(p, refused)
	}
	if p.order.exact != nil {
		return c.askExact(p)
	}
	if p.plan.Danger() == models.DangerNone && len(p.plan.Items) == 1 {
		return c.run(p.order, p.plan)
	}
	q := overlay.Question{
		Title:  fmt.Sprintf("%s %s", p.plan.Action.Name(), planText(legal)),
		Lines:  cards(p, legal, refused),
		Ask:    fmt.Sprintf("%s %s?", p.plan.Action.Name(), planText(legal)),
		Danger: p.plan.Danger() >= models.DangerMayErase,
		Yes:    screen.Wish(confirmed{p}),
	}
	if len(legal) > 1 && p.plan.Danger() > models.DangerNone {
		q.Type = strconv.Itoa(len(legal))
		q.Ask += " Type their number to go on."
	}
	return c.show(overlay.NewConfirm(c.opts.Clock, q))
}

// confirmed is a plan that was said yes to.
type confirmed struct{ prepared prepared }

func planText(items []provision.Item) string {
	if len(items) == 1 {
		return models.Printable(items[0].Node.Label())
	}
	return fmt.Sprintf("%d nodes", len(items))
}

// tellRefused says why nothing was sent: one node's reason in a toast, several in a list.
func (c *Console) tellRefused(p prepared, refused []provision.Item) tea.Cmd {
	if len(refused) == 1 {
		c.say(screen.Say{Level: screen.Warning, Text: refused[0].Refusal.Error()})
		return nil
	}
	lines := []overlay.Text{{Text: "Nothing was sent:"}, {}}
	return c.show(overlay.NewNote(string(p.order.id)+": refused", append(lines, refusals(refused)...)))
}

func failure(what string, err error) screen.Say {
	s := screen.Say{Level: screen.Failure, Text: err.Error()}
	if !strings.Contains(s.Text, what) {
		s.Text = what + ": " + s.Text
	}
	return s
}

// whyNodes says why an action cannot be done to any of the nodes, by what the store
// knows of them; the plan looks again before anything is sent.
func (c *Console) whyNodes(a *action.Action, nodes []models.NodeRef) string {
	if len(nodes) == 0 {
		return "no node is chosen"
	}
	switch {
	case a.ID == action.Validate && len(nodes) > 1:
		return "one node at a time: it reaches into the BMC"
	case a.ID == action.Validate, a.ID == action.NodeVerbs, c.env.Session == nil:
		return ""
	}
	id := a.ID
	if id == action.DeployWizard {
		if why := deploy.TooMany(len(nodes)); why != "" {
			return why
		}
		id = action.Verb(models.VerbDeploy)
	}
	refuse, err := refuses(id)
	if err != nil {
		return ""
	}
	first, inHand := "", c.inHand()
	for _, ref := range nodes {
		row, _, ok := c.env.Session.Store.Get(ref.UUID)
		if !ok || inHand[ref.UUID] {
			return "" // the plan looks at it anew
		}
		why := needless(a.ID, &row.Node)
		if refusal := refuse(&row.Node, c.env.Status.Version); refusal != nil && refusal.Kind != models.RefusedArguments {
			why = refusal.Why
		}
		if why == "" {
			return ""
		}
		if first == "" {
			first = models.Printable(why)
		}
	}
	if len(nodes) > 1 {
		return fmt.Sprintf("none of the %d marked nodes: %s", len(nodes), first)
	}
	return first
}

// refuses is what can be said against an action without asking Ironic.
func refuses(id action.ID) (func(*models.Node, models.APIVersion) *models.Refusal, error) {
	if verb, _ := action.AsVerb(id); deploys(id) {
		return func(n *models.Node, v models.APIVersion) *models.Refusal { return models.WhyNot(verb, n, v) }, nil
	}
	act, _, err := build(id, arguments{fieldSettings: "description="})
	if err != nil {
		return nil, err
	}
	return act.Refuse, nil
}

// needless says that an action would change nothing; a command may all the same.
func needless(id action.ID, n *models.Node) string {
	switch {
	case id == action.MaintenanceOff && !n.Maintenance:
		return "the node is not in maintenance"
	case id == action.Unprotect && !n.Protected:
		return "the node is not protected"
	case id == action.Unretire && !n.Retired:
		return "the node is not retired"
	}
	return ""
}
