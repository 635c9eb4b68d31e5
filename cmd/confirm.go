package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/screen"
)

// cardLimit is the maximum number of nodes that a confirmation shows in full.
const cardLimit = 5

// confirm shows the nodes and the effect of a plan, and asks. With --yes it does not ask. Without a terminal it refuses
// plans that erase disks or delete nodes. On a server, it also refuses plans with nodes on which other users act.
func (a *app) confirm(ctx context.Context, c *ironicclient.Client, plan provision.Batch, yes bool) error {
	danger := plan.Danger()
	if others := a.othersActing(plan); len(others) > 0 && !yes {
		a.printMessage("refused: %s; pass --yes to act as well", strings.Join(others, "; "))
		return &codeError{code: exitRefused}
	}
	if yes || danger.Consent() == models.ConsentNone {
		return nil
	}
	if !a.interactive() {
		switch danger {
		case models.DangerErases, models.DangerForgets:
			for _, i := range plan.Legal() {
				a.printMessage("%s %s: %s", plan.Action.Name(), i.Node.Label(), i.Effect.Text)
			}
			a.printMessage("refused: stdin is not a terminal; pass --yes to confirm")
			return &codeError{code: exitRefused}
		case models.DangerMayErase:
			for _, i := range plan.Legal() {
				a.printMessage("note: %s: %s", i.Node.Label(), i.Effect.Text)
			}
		case models.DangerNone, models.DangerInterrupts:
		}
		return nil
	}
	a.showCards(ctx, c, plan)
	return a.askConsent(ctx, plan)
}

// othersActing returns what other users of the server do with the nodes of a plan. It also warns about users who only
// look at the nodes.
func (a *app) othersActing(plan provision.Batch) []string {
	r := a.remote
	if r == nil {
		return nil
	}
	var nodes []models.NodeRef
	for _, i := range plan.Legal() {
		nodes = append(nodes, i.Node.Ref())
	}
	at := func(uuid string) []string { return r.room.AtNode(uuid, r.member.Actor.User) }
	for _, text := range screen.Looking(at, nodes) {
		a.printMessage("note: %s", text)
	}
	return r.tasks.Acting(nodes)
}

// warn prints the warnings of a plan. A warning about several nodes is printed once, with their number.
func (a *app) warn(plan provision.Batch) {
	var texts []string
	nodes := map[string][]string{}
	for _, i := range plan.Legal() {
		for _, text := range i.Warnings {
			if nodes[text] == nil {
				texts = append(texts, text)
			}
			nodes[text] = append(nodes[text], i.Node.Label())
		}
	}
	for _, text := range texts {
		who := nodes[text][0]
		if n := len(nodes[text]); n > 1 {
			who = models.Counted(n, "node")
		}
		a.printMessage("warning: %s: %s", who, text)
	}
}

// askConsent asks for the consent that a plan needs, but at least for y.
func (a *app) askConsent(ctx context.Context, plan provision.Batch) error {
	name, legal := plan.Action.Name(), plan.Legal()
	question := name + " " + models.Counted(len(legal), "node")
	if len(legal) == 1 {
		question = name + " " + legal[0].Node.Label()
	}
	if plan.Consent() == models.ConsentTyped {
		return a.askTyped(ctx, question, plan.Answer(), len(legal), name)
	}
	return a.askYes(ctx, question+"? [y/N] ", name, nothingSent)
}

// askTyped asks for a node's name, or for the number of several nodes. Every other answer is a refusal.
func (a *app) askTyped(ctx context.Context, question, want string, count int, action string) error {
	what := "the number of nodes"
	if count == 1 {
		what = "the node name " + want
	}
	answer, err := a.prompt(ctx, fmt.Sprintf("%s? Type %s to confirm: ", question, what))
	if err == nil && answer != want {
		err = &models.Refusal{Kind: models.RefusedUnconfirmed, Action: action, Why: nothingSent}
	}
	return err
}

const nothingSent = "not confirmed, nothing was sent"

// askYes asks a question whose answer is yes or no. The answer no returns a refusal with the reason otherwise.
func (a *app) askYes(ctx context.Context, question, action, otherwise string) error {
	answer, err := a.prompt(ctx, question)
	if err == nil && !isYes(answer) {
		err = &models.Refusal{Kind: models.RefusedUnconfirmed, Action: action, Why: otherwise}
	}
	return err
}

func isYes(answer string) bool {
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}

// prompt prints a question and reads a line.
func (a *app) prompt(ctx context.Context, question string) (string, error) {
	a.printErr("%s", question)
	type answer struct {
		line string
		err  error
	}
	// A read from a terminal cannot be interrupted: after Ctrl-C the goroutine ends with the
	// process.
	lines := make(chan answer, 1)
	go func() {
		line, err := bufio.NewReader(a.stdin).ReadString('\n')
		lines <- answer{line, err}
	}()
	select {
	case <-ctx.Done():
		a.printErr("\n")
		return "", ctx.Err()
	case got := <-lines:
		if got.err != nil && !errors.Is(got.err, io.EOF) {
			return "", fmt.Errorf("read the answer: %w", got.err)
		}
		return strings.TrimSpace(got.line), nil
	}
}

// showCards prints the identity of the nodes and the effect on them.
func (a *app) showCards(ctx context.Context, c *ironicclient.Client, plan provision.Batch) {
	legal := plan.Legal()
	for n, i := range legal {
		if n == cardLimit {
			a.printErr("… and %d more: %s\n", len(legal)-n, strings.Join(namesOf(legal[n:]), " "))
			break
		}
		a.printErr("%s\n%s%s\n", i.Node.Label(), indented(models.Card(&i.Node)[1:]), a.disks(ctx, c, plan.Action, i))
	}
}

func indented(details []models.Detail) string {
	var b strings.Builder
	for _, d := range details {
		fmt.Fprintf(&b, "  %-11s %s\n", d.Name, d.Value)
	}
	return b.String()
}

// disks returns the effect of an action on a node. If the action may erase disks, the result has the disks that
// inspection found.
func (a *app) disks(ctx context.Context, c *ironicclient.Client, act provision.Action, i provision.Item) string {
	width, _ := terminal(a.stderr)
	effect := fmt.Sprintf("  %-11s %s\n", "effect", wrapped(i.Effect.Text, width, 14))
	if i.Effect.Danger < models.DangerMayErase {
		return effect
	}
	return effect + indented(provision.Disks(ctx, c, act, &i.Node))
}

// wrapped breaks text at spaces to fit width columns, with further lines indented.
func wrapped(text string, width, indent int) string {
	if width <= 2*indent {
		return text
	}
	var b strings.Builder
	column := indent
	for i, word := range strings.Fields(text) {
		size := runewidth.StringWidth(word)
		switch {
		case i > 0 && column+1+size > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		case i > 0:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += size
	}
	return b.String()
}

// printWarnings prints the warnings, and the unknown and overridden checks, of the nodes to deploy. For nodes whose
// deployment is only resumed, it prints the effect.
func (a *app) printWarnings(action *provision.DeployAction, deployPlan provision.Batch) {
	for _, i := range deployPlan.Legal() {
		if action.OnlyFollows(&i.Node) {
			a.printMessage("%s: %s", i.Node.Label(), i.Effect.Text)
		}
		for _, c := range action.Checks(&i.Node) {
			switch {
			case c.Overridden:
				a.printMessage("%s: overridden: %s", i.Node.Label(), c)
			case c.Severity == plan.CheckWarn:
				a.printMessage("%s: warning: %s", i.Node.Label(), c)
			case c.Severity == plan.CheckUnknown:
				a.printMessage("%s: unknown: %s", i.Node.Label(), c)
			}
		}
	}
}
