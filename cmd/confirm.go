package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/provision"
)

// cardLimit is how many identity cards are shown in full; more do not help anybody.
const cardLimit = 5

// confirm shows what will happen to which machines and asks. With --yes it does not
// ask; without somebody to ask, what erases disks is refused.
func (a *app) confirm(ctx context.Context, c *ironicclient.Client, plan provision.Batch, yes bool) error {
	danger := plan.Danger()
	if yes || danger == models.DangerNone {
		return nil
	}
	if !a.interactive() {
		switch danger {
		case models.DangerErases:
			for _, i := range plan.Legal() {
				a.complain("%s %s: %s", plan.Action.Name(), models.Printable(i.Node.Label()), i.Effect.Text)
			}
			a.complain("refused: nobody can be asked here; --yes says that you mean it")
			return &codeError{code: exitRefused}
		case models.DangerMayErase:
			for _, i := range plan.Legal() {
				a.complain("note: %s: %s", models.Printable(i.Node.Label()), i.Effect.Text)
			}
		case models.DangerNone, models.DangerInterrupts:
		}
		return nil
	}
	a.showCards(ctx, c, plan)
	legal := plan.Legal()
	if len(legal) == 1 {
		answer, err := a.ask(ctx, fmt.Sprintf("%s %s? [y/N] ", plan.Action.Name(), models.Printable(legal[0].Node.Label())))
		return confirmed(plan, err, isYes(answer))
	}
	answer, err := a.ask(ctx, fmt.Sprintf("%s %d nodes? Type their number to go on: ", plan.Action.Name(), len(legal)))
	return confirmed(plan, err, answer == strconv.Itoa(len(legal)))
}

func confirmed(plan provision.Batch, err error, ok bool) error {
	switch {
	case err != nil:
		return err
	case !ok:
		return &models.Refusal{Kind: models.RefusedUnconfirmed, Action: plan.Action.Name(), Why: "not confirmed, nothing was sent"}
	}
	return nil
}

func isYes(answer string) bool {
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}

// ask puts a question to the person at the terminal and reads a line.
func (a *app) ask(ctx context.Context, question string) (string, error) {
	_, _ = fmt.Fprint(a.stderr, question)
	type answer struct {
		line string
		err  error
	}
	// A read of a terminal cannot be interrupted: the goroutine ends with the process
	// when somebody presses Ctrl-C instead of answering.
	lines := make(chan answer, 1)
	go func() {
		line, err := bufio.NewReader(a.stdin).ReadString('\n')
		lines <- answer{line, err}
	}()
	select {
	case <-ctx.Done():
		_, _ = fmt.Fprintln(a.stderr)
		return "", ctx.Err()
	case got := <-lines:
		if got.err != nil && !errors.Is(got.err, io.EOF) {
			return "", fmt.Errorf("read the answer: %w", got.err)
		}
		return strings.TrimSpace(got.line), nil
	}
}

// showCards prints the identity of the machines and what happens to them.
func (a *app) showCards(ctx context.Context, c *ironicclient.Client, plan provision.Batch) {
	legal := plan.Legal()
	for n, i := range legal {
		if n == cardLimit {
			_, _ = fmt.Fprintf(a.stderr, "… and %d more: %s\n", len(legal)-n, models.Printable(labels(legal[n:])))
			break
		}
		_, _ = fmt.Fprint(a.stderr, card(&i.Node), a.disks(ctx, c, i), "\n")
	}
}

func labels(items []provision.Item) string {
	names := make([]string, len(items))
	for i := range items {
		names[i] = items[i].Node.Label()
	}
	return strings.Join(names, " ")
}

// card is what tells one machine from another.
func card(n *models.Node) string {
	return models.Printable(n.Label()) + "\n" + indented(models.Card(n)[1:])
}

func indented(details []models.Detail) string {
	var b strings.Builder
	for _, d := range details {
		fmt.Fprintf(&b, "  %-11s %s\n", d.Name, d.Value)
	}
	return b.String()
}

// disks is the effect, and the disks that it concerns where inspection found them.
func (a *app) disks(ctx context.Context, c *ironicclient.Client, i provision.Item) string {
	width, _ := terminal(a.stderr)
	effect := fmt.Sprintf("  %-11s %s\n", "effect", wrapped(models.Printable(i.Effect.Text), width, 14))
	if i.Effect.Danger < models.DangerMayErase {
		return effect
	}
	return effect + indented(provision.Disks(ctx, c, i.Node.UUID))
}

// wrapped breaks text at blanks so that it fits a terminal, further lines indented.
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

func sortedNames(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// readAll reads standard input, bounded: nothing that is sent to Ironic is larger.
func readAll(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, 64<<20)) }
