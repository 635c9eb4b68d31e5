package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/termios"
	"github.com/mattn/go-runewidth"
	"golang.org/x/term"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/screen"
)

// cardLimit is the maximum number of nodes that a confirmation shows in full.
const cardLimit = 5

// confirm asks for confirmation if a plan needs consent, and first shows the nodes and the effect. Without a
// terminal, it refuses plans that erase disks or delete nodes. On a server, it refuses plans for nodes on which other
// users act. If yes is set, it neither asks nor refuses.
func (a *App) confirm(ctx context.Context, c *ironicclient.Client, plan provision.Batch, yes bool) error {
	danger := plan.Danger()
	if others := a.othersActing(plan); len(others) > 0 && !yes {
		a.PrintMessage("refused: %s; pass --yes to act anyway", strings.Join(others, "; "))
		return &CodeError{Code: ExitRefused}
	}
	if yes || danger.Consent() == models.ConsentNone {
		return nil
	}
	if !a.Interactive() {
		switch danger {
		case models.DangerErases, models.DangerForgets:
			for _, i := range plan.Legal() {
				a.PrintMessage("%s %s: %s", plan.Action.Name(), i.Node.Label(), i.Effect.Text)
			}
			a.PrintMessage("refused: stdin is not a terminal; pass --yes to confirm")
			return &CodeError{Code: ExitRefused}
		case models.DangerMayErase:
			for _, i := range plan.Legal() {
				a.PrintMessage("note: %s: %s", i.Node.Label(), i.Effect.Text)
			}
		case models.DangerNone, models.DangerInterrupts:
		}
		return nil
	}
	a.showCards(ctx, c, plan)
	return a.AskConsent(ctx, plan)
}

// othersActing describes what other users do with the nodes of a plan, and prints who only looks at the nodes.
func (a *App) othersActing(plan provision.Batch) []string {
	r := a.Remote
	if r == nil {
		return nil
	}
	var nodes []models.NodeRef
	for _, i := range plan.Legal() {
		nodes = append(nodes, i.Node.Ref())
	}
	at := func(uuid string) []string { return r.Room.AtNode(uuid, r.Member.Actor.User) }
	for _, text := range screen.Looking(at, nodes) {
		a.PrintMessage("note: %s", text)
	}
	return r.Tasks.Acting(nodes)
}

// warn prints the warnings of a plan. A warning about several nodes is printed once, with the number of nodes.
func (a *App) warn(plan provision.Batch) {
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
		a.PrintMessage("warning: %s: %s", who, text)
	}
}

// AskConsent asks for the consent that a plan needs. It asks a yes-or-no question even if the plan needs no consent.
func (a *App) AskConsent(ctx context.Context, plan provision.Batch) error {
	name, legal := plan.Action.Name(), plan.Legal()
	question := name + " " + models.Counted(len(legal), "node")
	if len(legal) == 1 {
		question = name + " " + legal[0].Node.Label()
	}
	if plan.Consent() == models.ConsentTyped {
		return a.AskTyped(ctx, question, plan.Answer(), len(legal), name)
	}
	return a.AskYes(ctx, question+"? [y/N] ", name, NothingSent)
}

// AskTyped asks the user to type want, which is the name of the node or, if count is above 1, the number of nodes.
// Any other answer is a refusal.
func (a *App) AskTyped(ctx context.Context, question, want string, count int, action string) error {
	what := "the number of nodes"
	if count == 1 {
		what = "the node name " + want
	}
	answer, err := a.prompt(ctx, fmt.Sprintf("%s? Type %s to confirm: ", question, what))
	if err == nil && answer != want {
		err = &models.Refusal{Kind: models.RefusedUnconfirmed, Action: action, Why: NothingSent}
	}
	return err
}

// NothingSent is the reason for the refusal of an action that the operator did not confirm.
const NothingSent = "not confirmed, nothing was sent"

// AskYes asks a yes-or-no question. If the answer is not yes, it returns a refusal; the text in otherwise is its
// reason.
func (a *App) AskYes(ctx context.Context, question, action, otherwise string) error {
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
func (a *App) prompt(ctx context.Context, question string) (string, error) {
	return await(ctx, a, question, "", func() (string, error) {
		line, err := bufio.NewReader(a.Stdin).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read the answer: %w", err)
		}
		return strings.TrimSpace(line), nil
	})
}

// await prints a question, and returns what read reads. It prints after when the answer has been read. A read from a
// terminal cannot be interrupted, so after Ctrl-C the goroutine ends only with the process.
func await[T any](ctx context.Context, a *App, question, after string, read func() (T, error)) (value T, err error) {
	a.PrintErr("%s", question)
	done := make(chan func(), 1)
	go func() {
		got, failed := read()
		done <- func() { value, err = got, failed }
	}()
	select {
	case <-ctx.Done():
		a.PrintErr("\n")
		return value, ctx.Err()
	case answer := <-done:
		a.PrintErr("%s", after)
		answer()
		return value, err
	}
}

// showCards prints what identifies each node and how the plan affects it. It shows at most cardLimit nodes in full.
func (a *App) showCards(ctx context.Context, c *ironicclient.Client, plan provision.Batch) {
	legal := plan.Legal()
	for n, i := range legal {
		if n == cardLimit {
			a.PrintErr("… and %d more: %s\n", len(legal)-n, strings.Join(namesOf(legal[n:]), " "))
			break
		}
		a.PrintErr("%s\n%s%s\n", i.Node.Label(), indented(models.Card(&i.Node)[1:]), a.disks(ctx, c, plan.Action, i))
	}
}

func indented(details []models.Detail) string {
	var b strings.Builder
	for _, d := range details {
		fmt.Fprintf(&b, "  %-11s %s\n", d.Name, d.Value)
	}
	return b.String()
}

// disks describes the effect of an action on a node and, if it may erase disks, the disks that inspection found.
func (a *App) disks(ctx context.Context, c *ironicclient.Client, act provision.Action, i provision.Item) string {
	width, _ := Terminal(a.Stderr)
	effect := fmt.Sprintf("  %-11s %s\n", "effect", Wrapped(i.Effect.Text, width, 14))
	if i.Effect.Danger < models.DangerMayErase {
		return effect
	}
	return effect + indented(provision.Disks(ctx, c, act, &i.Node))
}

// Wrapped breaks text at spaces to fit width columns. All lines but the first are indented by indent columns.
func Wrapped(text string, width, indent int) string {
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

// PrintWarnings prints the warnings for the nodes to deploy, including checks that are overridden or whose result is
// unknown. For nodes whose deployment is only resumed, it prints the effect.
func (a *App) PrintWarnings(action *provision.DeployAction, deployPlan provision.Batch) {
	for _, i := range deployPlan.Legal() {
		if action.OnlyFollows(&i.Node) {
			a.PrintMessage("%s: %s", i.Node.Label(), i.Effect.Text)
		}
		for _, c := range action.Checks(&i.Node) {
			switch {
			case c.Overridden:
				a.PrintMessage("%s: overridden: %s", i.Node.Label(), c)
			case c.Severity == plan.CheckWarn:
				a.PrintMessage("%s: warning: %s", i.Node.Label(), c)
			case c.Severity == plan.CheckUnknown:
				a.PrintMessage("%s: unknown: %s", i.Node.Label(), c)
			}
		}
	}
}

// AskSecret prompts for a secret at the terminal without echo, so that the secret is neither on the screen nor in the
// shell's history. It must be called only if [App.Interactive] returns true.
func (a *App) AskSecret(ctx context.Context, question string) (models.Secret, error) {
	in, is := a.Stdin.(*os.File)
	if !is {
		return "", errors.New("read password: stdin is not a terminal")
	}
	fd := int(in.Fd())
	state, err := term.GetState(fd)
	if err == nil {
		err = echoOff(fd)
	}
	if err != nil {
		return "", fmt.Errorf("read password: %w", err)
	}
	defer func() { _ = term.Restore(fd, state) }()
	a.prompting.Store(true)
	defer a.prompting.Store(false)
	if _, is := Terminal(a.Stderr); is {
		_, _ = io.WriteString(a.Stderr, "\r\x1b[K") // erases a progress line
	}
	return await(ctx, a, question, "\n", func() (models.Secret, error) {
		text, err := term.ReadPassword(fd)
		if err != nil {
			err = fmt.Errorf("read password: %w", err)
		}
		return models.Secret(text), err
	})
}

// echoOff turns off the echo of a terminal. It is called before the question is printed, because [term.ReadPassword]
// turns echo off only afterwards, when a pasted password may already be on the screen.
func echoOff(fd int) error {
	t, err := termios.GetTermios(fd)
	if err != nil {
		return err
	}
	off := map[termios.L]bool{termios.ECHO: false}
	return termios.SetTermios(fd, uint32(t.Ispeed), uint32(t.Ospeed), nil, nil, nil, nil, off) //nolint:unconvert // uint64 on darwin
}
