package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ironworks/journal"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

// retryFailed offers another try for the nodes that failed, where somebody is there to
// be asked. The nodes are read and checked anew; what changed is shown, and the try is
// confirmed as the first one was. Whatever the answers are, the results so far are kept.
func (a *app) retryFailed(
	ctx context.Context, s *session.Session, runner *provision.Runner, kept *journal.Journal, plan provision.Batch, results []provision.Result, flags actFlags,
	confirm func(provision.Batch) error,
) []provision.Result {
	for a.offersRetry(ctx, plan, results, flags) {
		failed := plan.Failed(results)
		nodes, err := provision.FindNodes(ctx, runner.API, uuidsOf(failed))
		if err != nil {
			a.complain("%v", err)
			return results
		}
		before := shownOf(plan.Action, failed)
		deployment, deploys := plan.Action.(*provision.DeployAction)
		if deploys {
			deployment.Preflight(ctx, nodes)
		}
		second := runner.Plan(plan.Action, nodes)
		a.tellChanges(before, shownOf(plan.Action, second.Items))
		for _, i := range second.Refused() {
			a.complain("%v", i.Refusal)
		}
		if len(second.Legal()) == 0 {
			return results
		}
		if deploys {
			a.tellDoubts(deployment, second)
		}
		if err := confirm(second); err != nil {
			a.complain("%v", err)
			return results
		}
		for i, res := range a.runPlan(ctx, s, runner, kept, second, flags) {
			at := plan.Index(second.Items[i].Node.UUID)
			plan.Items[at], results[at] = second.Items[i], res
		}
	}
	return results
}

// offersRetry shows what failed and asks. With --yes nothing is tried again: nobody would
// see what changed since.
func (a *app) offersRetry(ctx context.Context, plan provision.Batch, results []provision.Result, flags actFlags) bool {
	failed := plan.Failed(results)
	if len(failed) == 0 || len(plan.Items) == 1 || flags.yes || !a.interactive() || ctx.Err() != nil {
		return false
	}
	for _, i := range failed {
		if res := results[plan.Index(i.Node.UUID)]; res.Outcome == provision.OutcomeFailed {
			a.complain("%v", res.Err)
		}
	}
	answer, err := a.ask(ctx, fmt.Sprintf("%d of %d failed or were not tried. Try these again? [y/N] ", len(failed), len(plan.Items)))
	return err == nil && isYes(answer)
}

// shownNode is what an operator was shown of a node before a try.
type shownNode struct {
	label  string
	state  string
	effect string
	checks []string
}

func shownOf(action provision.Action, items []provision.Item) map[string]shownNode {
	shown := map[string]shownNode{}
	for _, i := range items {
		n := shownNode{label: i.Node.Label(), state: string(i.Node.ProvisionState), effect: i.Effect.Text}
		if deployment, is := action.(*provision.DeployAction); is {
			for _, c := range deployment.Checks(&i.Node) {
				var text strings.Builder
				writeCheck(&text, c)
				n.checks = append(n.checks, strings.Join(strings.Fields(text.String()), " "))
			}
		}
		shown[i.Node.UUID] = n
	}
	return shown
}

// changes are the lines that tell how a node differs from what was shown of it before.
func (n shownNode) changes(before shownNode) []string {
	var lines []string
	if n.state != before.state {
		lines = append(lines, "state changed from "+before.state+" to "+n.state)
	}
	if n.effect != before.effect {
		lines = append(lines, fmt.Sprintf("effect changed from %q to %q", before.effect, n.effect))
	}
	for _, c := range n.checks {
		if !slices.Contains(before.checks, c) {
			lines = append(lines, "check changed: "+c)
		}
	}
	return lines
}

// tellChanges says what is different from what was shown before.
func (a *app) tellChanges(before, now map[string]shownNode) {
	changed := false
	for _, uuid := range sortedUUIDs(now) {
		for _, line := range now[uuid].changes(before[uuid]) {
			changed = true
			a.complain("%s: %s", models.Printable(now[uuid].label), models.Printable(line))
		}
	}
	if !changed {
		a.complain("nothing changed since the last try")
	}
}

func sortedUUIDs(nodes map[string]shownNode) []string {
	ids := make([]string, 0, len(nodes))
	for id := range nodes {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(x, y string) int { return strings.Compare(nodes[x].label, nodes[y].label) })
	return ids
}
